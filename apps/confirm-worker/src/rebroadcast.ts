import type { Send } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { raiseBroadcasts, type WatchedAttempt } from '@agent-wallet/spend';
import type { Metrics } from './metrics.ts';

/** The lane makes the first send; until then its answer may still refuse the spend. */
const FIRST_AFTER_MS = 3_000;
const AGAIN_AFTER_MS = 2_000;

/** Whether the same bytes of a pending attempt should go out again now. */
export function isDueForRebroadcast(attempt: WatchedAttempt): boolean {
  if (attempt.broadcaster !== 'worker') return false;
  if (attempt.status !== 'in_flight' || attempt.attemptNo !== attempt.attempt) return false;
  if (attempt.broadcasts === 0) return attempt.storedMsAgo >= FIRST_AFTER_MS;
  return attempt.broadcastMsAgo === null || attempt.broadcastMsAgo >= AGAIN_AFTER_MS;
}

/** Counts, commits, then sends the same bytes. What the endpoint answers is no verdict. */
export function createRebroadcast({
  db,
  send,
  metrics,
}: {
  readonly db: Database;
  readonly send: Send;
  readonly metrics: Metrics;
}): (attempt: WatchedAttempt) => Promise<void> {
  return async ({ spendId, attemptNo, wire }) => {
    if (!(await raiseBroadcasts(db, { spendId, attempt: attemptNo }))) return;
    metrics.rebroadcasts.inc();
    await send(wire, { skipPreflight: true });
  };
}
