import { MAINNET_GENESIS_HASH, openRpcPool, readMainnetChecklist } from '@agent-wallet/chain';
import { commonSettings, parseSettings } from '@agent-wallet/process';
import { z } from 'zod';

const RPC_TIMEOUT_MS = 10_000;

const { RPC_URL, PROGRAM_ID, ALLOW_MAINNET, AUDIT_SHA256, UPGRADE_MULTISIG } = commonSettings;
const environment = z.object({
  RPC_URL,
  PROGRAM_ID,
  ALLOW_MAINNET,
  AUDIT_SHA256,
  UPGRADE_MULTISIG,
});

/**
 * Shows the requirements that each process has on mainnet, met or not, with the settings of the
 * environment; on a test network those that it would have. Returns whether all of them are met.
 * Throws a SettingsError for a wrong setting and RPC_UNAVAILABLE without a chain.
 */
export async function showMainnetCheck(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<boolean> {
  const settings = parseSettings('cluster', environment, env);
  await using pool = await openRpcPool({ urls: settings.RPC_URL, timeoutMs: RPC_TIMEOUT_MS });
  const isMainnet = pool.genesisHash === MAINNET_GENESIS_HASH;
  say(isMainnet ? 'cluster: mainnet' : `cluster: a test network (${pool.genesisHash})`);
  const items = await readMainnetChecklist(pool, settings);
  for (const { requirement, missing } of items) {
    say(missing === null ? `ok       ${requirement}` : `MISSING  ${requirement}: ${missing}`);
  }
  return items.every(({ missing }) => missing === null);
}
