import { done, type Outcome } from '../../command-line/outcome.ts';
import type { OpsConfig } from '../config.ts';
import { nudgeLanes } from './nudge-lanes.ts';
import { openDatabase } from './open-database.ts';

/** `ops nudge`: wakes the lanes of one wallet, or of all with queued spends. Throws a CliError. */
export async function nudgeCommand(
  config: OpsConfig,
  { walletId }: { readonly walletId: string | null },
): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await openDatabase(stack, config);
  const wallets = await nudgeLanes(config, db, { walletId });
  const json = { wallets };
  if (walletId !== null) return done(`Wallet ${walletId} is nudged.`, json);
  if (wallets === 0) return done('No queued spend waits in a free lane.', json);
  return done(`Nudged ${wallets} wallets with queued spends in free lanes.`, json);
}
