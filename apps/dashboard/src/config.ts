import {
  address,
  type Contradiction,
  listenSettings,
  logLevel,
  parseSettings,
} from '@agent-wallet/process';
import { z } from 'zod';
import type { PageSettings } from '../page/page-settings.ts';

const url = z.url({ protocol: /^https?$/ });

/** Open to everybody, with a low rate. */
const DEVNET_RPC_URL = 'https://api.devnet.solana.com';

/**
 * The dashboard's settings with their descriptions. It holds no secret.
 *
 * @internal exported for `npm run settings`
 */
export const dashboardSettings = z.object({
  ...listenSettings(3_000),
  API_URL: url.meta({ description: 'Address of the API, as browsers reach it' }),
  CLUSTER: z
    .enum(['devnet', 'mainnet'])
    .default('devnet')
    .meta({ description: 'The chain of the program' }),
  PROGRAM_ID: address.meta({ description: 'Address of the program' }),
  USDC_MINT: address.meta({ description: 'Address of the mint' }),
  YIELD_RESERVE: z
    .enum(['devnet', 'local'])
    .default('devnet')
    .meta({ description: 'Yield reserve that the program is compiled for' }),
  PUBLIC_RPC_URL: url.optional().meta({
    description:
      'RPC endpoint that the page uses; everybody can read it. By default the public endpoint of ' +
      'devnet; required for mainnet',
  }),
  EXPLORER_URL: url
    .refine((text) => text.includes('{kind}') && text.includes('{id}'), {
      error: 'must be a URL with {kind} and {id}',
    })
    .optional()
    .meta({
      description: 'Page of a block explorer with `{kind}` (`tx` or `address`) and `{id}`',
    }),
  LOG_LEVEL: logLevel,
});

type Settings = z.output<typeof dashboardSettings>;

/** The dashboard's settings, parsed once from the environment. */
export type Config = Settings & { readonly PUBLIC_RPC_URL: string };

const contradictions: readonly Contradiction<Settings>[] = [
  {
    of: ['PUBLIC_RPC_URL', 'CLUSTER'],
    when: ({ PUBLIC_RPC_URL, CLUSTER }) => PUBLIC_RPC_URL === undefined && CLUSTER !== 'devnet',
    must: 'must be set where CLUSTER is mainnet',
  },
];

/** Parses the environment. Throws sentences that name each wrong variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const settings = parseSettings('dashboard', dashboardSettings, env, contradictions);
  return { ...settings, PUBLIC_RPC_URL: settings.PUBLIC_RPC_URL ?? DEVNET_RPC_URL };
}

/** What `/config.json` returns. */
export const pageSettingsOf = (config: Config): PageSettings => ({
  apiUrl: config.API_URL,
  cluster: config.CLUSTER,
  programId: config.PROGRAM_ID,
  usdcMint: config.USDC_MINT,
  yieldReserve: config.YIELD_RESERVE,
  rpcUrl: config.PUBLIC_RPC_URL,
  explorerUrl: config.EXPLORER_URL ?? null,
});
