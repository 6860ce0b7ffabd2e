import { type Deployment, DEVNET, LOCAL } from '@agent-wallet/sdk/owner';
import { z } from 'zod';
import type { PageSettings } from '../page-settings.ts';

const apiConfig = z.looseObject({
  cluster: z.string(),
  program_id: z.string(),
  usdc_mint: z.string(),
});

/** What the owner signs for, by the page's own settings. */
export function trustedDeployment(settings: PageSettings): Deployment {
  const { reserve } = settings.yieldReserve === 'local' ? LOCAL : DEVNET;
  const { programId, usdcMint } = settings;
  return { programId, usdcMint, ...(reserve === undefined ? {} : { reserve }) };
}

/**
 * Where the API's deployment differs from the page's: one sentence each. Empty when they agree, and
 * when the API does not respond: what it would say is not needed to leave.
 */
export async function differencesFromApi(
  settings: PageSettings,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let found: z.output<typeof apiConfig>;
  try {
    const response = await fetch(new URL('/v1/config', settings.apiUrl), { signal });
    found = apiConfig.parse(await response.json());
  } catch {
    return [];
  }
  const compared = [
    ['cluster', settings.cluster, found.cluster],
    ['program', settings.programId, found.program_id],
    ['USDC mint', settings.usdcMint, found.usdc_mint],
  ] as const;
  return compared
    .filter(([, ours, theirs]) => ours !== theirs)
    .map(([name, ours, theirs]) => `The ${name} of this page is ${ours}, the service's ${theirs}.`);
}
