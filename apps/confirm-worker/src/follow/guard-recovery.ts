import type { Rpc, WalletProgram } from '@agent-wallet/chain';
import { type Database, readRecovery, type Recovery, reopen, shut } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import { listSpendableSessions, raiseNextSeq } from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';

const LOOK_EVERY_MS = 1_000;
/** A blockhash lives for 150 blocks: what was signed before is landed or dead after that many. */
const BLOCKHASH_BLOCKS = 150n;
const SESSIONS_PER_READ = 100;
const MAX_READS = 100_000;

type GuardDeps = {
  readonly db: Database;
  readonly rpc: Pick<Rpc, 'heightAndSlot' | 'accounts'>;
  readonly program: Pick<WalletProgram, 'decodeSession'>;
  /** Applies every program event up to now. */
  readonly catchUp: () => Promise<void>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'alerts' | 'isShut'>;
};

/**
 * One look at whether this is still the database it was. After a failover or a restore acceptance
 * and lanes stay shut until everything that may have been signed before has landed or expired, its
 * events are applied, and every session's counter is past what the chain has seen.
 */
export function createGuardRecovery(deps: GuardDeps): () => Promise<number> {
  return async () => {
    const recovery = await readRecovery(deps.db);
    deps.metrics.isShut.set(recovery === null || recovery.isOpen ? 0 : 1);
    if (recovery === null || recovery.isOpen) return LOOK_EVERY_MS;
    await advance(deps, recovery);
    return LOOK_EVERY_MS;
  };
}

async function advance(deps: GuardDeps, recovery: Recovery): Promise<void> {
  const { db, log, metrics } = deps;
  const { blockHeight, slot } = await deps.rpc.heightAndSlot('finalized');
  const { shutAtHeight } = recovery;
  if (shutAtHeight === null) {
    metrics.alerts.inc({ kind: 'database_replaced' });
    log.error('this is another database than before: acceptance and lanes are shut');
    const reason = 'the database was failed over or restored';
    // What was signed last is valid for 150 blocks from the confirmed tip, not from the finalized.
    const tip = await deps.rpc.heightAndSlot('confirmed');
    await shut(db, { height: tip.blockHeight, reason });
    return;
  }
  if (blockHeight <= shutAtHeight + BLOCKHASH_BLOCKS) return;
  await deps.catchUp();
  await raiseCounters(deps, slot);
  if (await reopen(db, { shutAtHeight })) {
    log.warn({ reason: recovery.reason }, 'acceptance and lanes are open again');
  }
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
