import { type Rpc, type Send, spendBitOf, type WalletProgram } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { raiseBroadcasts, type WatchedAttempt } from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';
import { readSessions, spendSeqOf } from '../resolve/attempt-facts.ts';

/**
 * The lane makes the first send, whose response may still refuse the spend. When the send fails, the
 * tx-worker makes the attempt due at once; when it takes long, the tx-worker holds the re-send. An
 * attempt without such a report was sent and lost after this time, two slots and a half, or its
 * worker is gone.
 */
const FIRST_AFTER_MS = 1_000;
const AGAIN_AFTER_MS = 2_000;

/** Whether the bytes of a pending attempt are due to be sent again. */
export function isDueForRebroadcast(attempt: WatchedAttempt): boolean {
  if (attempt.broadcaster !== 'worker' || !isToLand(attempt)) return false;
  const { broadcasts, broadcastMsAgo, storedMsAgo } = attempt;
  if (broadcastMsAgo !== null) return broadcastMsAgo >= AGAIN_AFTER_MS;
  return broadcasts > 0 || storedMsAgo >= FIRST_AFTER_MS;
}

/**
 * Whether these bytes should land: those of the newest attempt of a spend in flight, and those
 * whose landing confirmed a spend. Its caller has received a success, so they must land again.
 */
function isToLand(attempt: WatchedAttempt): boolean {
  if (attempt.attemptNo !== attempt.attempt) return false;
  if (attempt.status === 'in_flight') return true;
  return attempt.status === 'confirmed' && attempt.signature === attempt.txSignature;
}

type RebroadcastDeps = {
  readonly db: Database;
  readonly send: Send;
  /** Whether the attempt's number is unused in the finalized session; false on an error. */
  readonly isUnused: (attempt: WatchedAttempt) => Promise<boolean>;
  readonly metrics: Metrics;
};

/** Counts the broadcast, commits, then sends the same bytes. The response is no verdict. */
export function createRebroadcast({
  db,
  send,
  isUnused,
  metrics,
}: RebroadcastDeps): (attempt: WatchedAttempt) => Promise<void> {
  return async (attempt) => {
    const { spendId, attemptNo, status } = attempt;
    // The landing may be final and only not shown: then nothing is sent.
    if (status === 'confirmed' && !(await isUnused(attempt))) return;
    const wire = await raiseBroadcasts(db, { spendId, attempt: attemptNo });
    if (wire === null) return;
    metrics.rebroadcasts.inc();
    await send(wire, { skipPreflight: true });
  };
}

/** Reads the session at `finalized`; returns false when it cannot be read or is another one. */
export function createIsUnused(
  rpc: Pick<Rpc, 'accounts'>,
  program: WalletProgram,
): RebroadcastDeps['isUnused'] {
  return async (attempt) => {
    const { sessionPda, sessionIndex } = attempt;
    const read = readSessions(rpc, program, [attempt], { commitment: 'finalized' });
    const session = (await read.catch(() => null))?.get(sessionPda);
    if (session === undefined) return false;
    return spendBitOf(session, { sessionIndex, spendSeq: spendSeqOf(attempt) }) === 'clear';
  };
}
