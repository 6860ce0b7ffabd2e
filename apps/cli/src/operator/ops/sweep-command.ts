import { makeDue } from '@agent-wallet/spend';
import { done, type Outcome } from '../../command-line/outcome.ts';
import type { OpsConfig } from '../config.ts';
import { nudgeLanes } from './nudge-lanes.ts';
import { openDatabase } from './open-database.ts';

const MOST_LOOKS = 100_000;

/**
 * `ops sweep`: what the sweeps of the workers do, at once and for everything: nudges free lanes with
 * queued spends, and makes every look at an attempt or an unfinalized landing due. Throws a CliError.
 */
export async function sweepCommand(config: OpsConfig): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await openDatabase(stack, config);
  const wallets = await nudgeLanes(config, db, { walletId: null });
  const { attempts, landings } = await makeDue(db, { limit: MOST_LOOKS });
  return done(
    `Nudged ${wallets} wallets; made ${attempts} attempts and ${landings} unfinalized landings due.`,
    { wallets, attempts, landings },
  );
}
