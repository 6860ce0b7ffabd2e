import { type Rpc, type Send, spendBitOf, type WalletProgram } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { raiseBroadcasts, type WatchedAttempt } from '@agent-wallet/spend';
import { readSessions } from '../resolve/attempt-facts.ts';
import { spendSeqOf } from '../resolve/resolve-attempts.ts';
import type { Metrics } from '../metrics.ts';

/** The lane makes the first send; until then its answer may still refuse the spend. */
const FIRST_AFTER_MS = 3_000;
const AGAIN_AFTER_MS = 2_000;

/** Whether the same bytes of a pending attempt should go out again now. */
export function isDueForRebroadcast(attempt: WatchedAttempt): boolean {
  if (attempt.broadcaster !== 'worker' || !isToLand(attempt)) return false;
  if (attempt.broadcasts === 0) return attempt.storedMsAgo >= FIRST_AFTER_MS;
  return attempt.broadcastMsAgo === null || attempt.broadcastMsAgo >= AGAIN_AFTER_MS;
}

/**
 * The newest attempt of a spend in flight. Of a confirmed one the bytes that had landed, once their
 * signature is gone: the caller was told that it was paid, so they shall land again.
 */
function isToLand(attempt: WatchedAttempt): boolean {
  if (attempt.attemptNo !== attempt.attempt) return false;
  if (attempt.status === 'in_flight') return true;
  return attempt.status === 'confirmed' && attempt.signature === attempt.txSignature;
}

type RebroadcastDeps = {
  readonly db: Database;
  readonly send: Send;
  /** Whether the finalized session has not seen the attempt's number; an error is a no. */
  readonly isUnused: (attempt: WatchedAttempt) => Promise<boolean>;
  readonly metrics: Metrics;
};

/** Counts, commits, then sends the same bytes. What the endpoint answers is no verdict. */
export function createRebroadcast({
  db,
  send,
  isUnused,
  metrics,
}: RebroadcastDeps): (attempt: WatchedAttempt) => Promise<void> {
  return async (attempt) => {
    const { spendId, attemptNo, wire, status } = attempt;
    // Where the landing is final after all, and only not shown, nothing is to be sent.
    if (status === 'confirmed' && !(await isUnused(attempt))) return;
    if (!(await raiseBroadcasts(db, { spendId, attempt: attemptNo }))) return;
    metrics.rebroadcasts.inc();
    await send(wire, { skipPreflight: true });
  };
}

/** Reads the session at `finalized`; what cannot be read, or is another session, is a no. */
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
