import type { Rpc, WalletProgram } from '@agent-wallet/chain';
import {
  closeIntake,
  type Database,
  type Intake,
  IS_OTHER_DATABASE,
  openIntake,
  readIntake,
} from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import { raiseNextSeq } from '@agent-wallet/spend';
import { listSpendableSessions } from '@agent-wallet/wallet';
import type { Metrics } from '../metrics.ts';

const LOOK_EVERY_MS = 1_000;
/** A blockhash is valid for 150 blocks: older signatures have landed or expired after that. */
const BLOCKHASH_BLOCKS = 150n;
const SESSIONS_PER_READ = 100;
const MAX_READS = 100_000;

type GuardDeps = {
  readonly db: Database;
  readonly rpc: Pick<Rpc, 'heightAndSlot' | 'accounts'>;
  readonly program: Pick<WalletProgram, 'decodeSession'>;
  /** Applies every program event up to a slot; false when it must be called again. */
  readonly catchUp: (slot: bigint) => Promise<boolean>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'alerts' | 'isIntakeClosed'>;
};

/**
 * One pass of the guard against a replaced database. After a failover or a restore the intake stays
 * closed until everything signed before has landed or expired, the events of those landings are
 * applied, and every session's counter is past the numbers that the chain has seen. Returns the
 * delay until the next pass.
 */
export function createGuardRecovery(deps: GuardDeps): () => Promise<number> {
  return async () => {
    const intake = await readIntake(deps.db);
    const isClosed = intake !== null && !intake.isOpen;
    deps.metrics.isIntakeClosed.set(isClosed ? 1 : 0);
    if (isClosed) await recover(deps, intake);
    return LOOK_EVERY_MS;
  };
}

async function recover(
  deps: GuardDeps,
  { closedAtHeight, identity, reason }: Intake,
): Promise<void> {
  const { db, log, metrics } = deps;
  const { blockHeight, slot } = await deps.rpc.heightAndSlot('finalized');
  if (closedAtHeight === null) {
    // The newest signatures are valid for 150 blocks from the confirmed tip, not the finalized.
    const tip = await deps.rpc.heightAndSlot('confirmed');
    const isClosed = await closeIntake(db, {
      height: tip.blockHeight,
      reason: 'the database was failed over or restored',
      onlyIf: IS_OTHER_DATABASE,
    });
    if (!isClosed) return;
    metrics.alerts.inc({ kind: 'database_replaced' });
    log.error('the database was replaced; intake is closed: no spend is accepted, no lane runs');
    return;
  }
  if (blockHeight <= closedAtHeight + BLOCKHASH_BLOCKS) return;
  if (!(await deps.catchUp(slot))) return;
  await raiseCounters(deps, slot);
  if (await openIntake(db, { closedAtHeight, identity }))
    log.warn({ reason }, 'intake is open again');
}

async function raiseCounters(deps: GuardDeps, minContextSlot: bigint): Promise<void> {
  let afterPda = '';
  for (let read = 0; read < MAX_READS; read += 1) {
    const page = { afterPda, limit: SESSIONS_PER_READ };
    const addresses = await listSpendableSessions(deps.db, page);
    if (addresses.length === 0) return;
    const options = { commitment: 'confirmed', minContextSlot } as const;
    const { accounts } = await deps.rpc.accounts(addresses, options);
    for (const account of accounts) {
      const session = account === null ? null : deps.program.decodeSession(account);
      if (account === null || session === null) continue;
      const { highestSeq } = session.replay;
      await raiseNextSeq(deps.db, { sessionPda: account.address, highestSeq });
    }
    afterPda = addresses.at(-1) ?? afterPda;
  }
}
