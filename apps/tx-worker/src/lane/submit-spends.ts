import { isReplayRefusal, type Send } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import {
  announceSettled,
  type Claimed,
  createResendNow,
  holdResends,
  type Lane,
  type LaneClaims,
  raiseBroadcasts,
  type Spend,
} from '@agent-wallet/spend';
import { startSpan } from '@agent-wallet/tracing';
import { bulkhead } from 'cockatiel';
import type { Metrics } from '../metrics.ts';
import type { PreparedSpend } from '../sign/preparation.ts';
import { createRefuseUnbroadcast, type RefuseUnbroadcast } from './refuse-in-turns.ts';
import { type IsSessionAbsent, describeRefusal } from '../sign/describe-refusal.ts';

/** From before the claim; the confirm-worker has sent the bytes by then. */
const SEND_WITHIN_MS = 6_000;
/** Well before the confirm-worker sends attempts without a report again. */
const HOLD_AFTER_MS = 600;

/** Each has a connection to the node. One that waits too long is left to the confirm-worker. */
const SENDS_AT_ONCE = 64;

/** A queued spend and its signed attempt. */
export type SignedSpend = { readonly spend: Spend; readonly prepared: PreparedSpend };

/**
 * What was claimed. `sends` ends with the first sends, and has the spends that were refused; it
 * never rejects.
 */
type Submission = Claimed & { readonly sends: Promise<readonly Spend[]> };

export type SubmitSpends = (submission: {
  readonly lane: Lane;
  readonly fence: bigint;
  /** Spends of one session, in the order of their numbers. */
  readonly batch: readonly SignedSpend[];
  /** Whether the lane is given back with the claim. */
  readonly thenRelease: boolean;
}) => Promise<Submission>;

/** Stores claims of a lane, together with those of the wallet's other lanes that come with them. */
export type StoreClaims = (walletId: string, claims: LaneClaims) => Promise<Claimed>;

type SubmitDeps = {
  readonly db: Database;
  readonly storeClaims: StoreClaims;
  readonly send: Send;
  /** Sends bytes again, to every endpoint. */
  readonly sendAgain: Send;
  readonly isSessionAbsent: IsSessionAbsent;
  /** Wakes the confirm-worker after a claim. */
  readonly announceAttempts: () => Promise<void>;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/**
 * Stores attempts, then makes the first send of each, unless a facilitator sends it. After a send
 * that a node has taken it writes nothing: the confirm-worker finds the outcome on chain. It reports
 * only failed sends, whose bytes the confirm-worker then sends again at once, and slow ones, whose
 * re-send it holds. The sends need no lease: each is made once, with stored bytes. A process that
 * was stopped for long makes none: the confirm-worker has sent the bytes by then.
 */
export function createSubmitSpends(submitDeps: SubmitDeps): SubmitSpends {
  const { db } = submitDeps;
  const refuse = createRefuseUnbroadcast(db);
  const deps: SendDeps = { ...submitDeps, refuse, resendNow: createResendNow(db) };
  const sending = bulkhead(SENDS_AT_ONCE, Infinity);
  return async ({ lane, fence, batch, thenRelease }) => {
    const sendUntilMs = deps.nowMs() + SEND_WITHIN_MS;
    const claims = batch.map(({ spend, prepared }) => ({ spend, signed: prepared.signed }));
    const { sessionId, walletId } = lane;
    const endClaim = startSpan('claim');
    const claimed = await deps.storeClaims(walletId, { sessionId, fence, claims, thenRelease });
    deps.metrics.claims.inc({ outcome: 'claimed' }, claimed.count);
    if (claimed.outcome !== 'claimed') deps.metrics.claims.inc({ outcome: claimed.outcome });
    const stored = batch.slice(0, claimed.count);
    for (const { spend } of stored) endClaim(spend);
    if (stored.length > 0) void deps.announceAttempts();
    const handedOut = stored.filter(({ prepared }) => prepared.signed.signature === null);
    // The waiting requests continue when the bytes are stored.
    await announceSettled(
      deps.db,
      handedOut.map(({ spend }) => spend.spendId),
    );
    const ours = stored.filter(({ prepared }) => prepared.signed.signature !== null);
    const open = new Set(ours);
    const sends = Promise.all(
      ours.map(async (one) => {
        const refused = await sending.execute(() => sendFirst(deps, lane, sendUntilMs, one));
        open.delete(one);
        return refused;
      }),
    );
    const holding = setTimeout(() => void hold(deps, [...open]), HOLD_AFTER_MS);
    void sends.finally(() => clearTimeout(holding));
    return { ...claimed, sends: sends.then((spends) => spends.filter((spend) => spend !== null)) };
  };
}

type SendDeps = SubmitDeps & {
  readonly refuse: RefuseUnbroadcast;
  readonly resendNow: ReturnType<typeof createResendNow>;
};

const attemptOf = ({ spend }: SignedSpend): { spendId: string; attemptNo: number } => ({
  spendId: spend.spendId,
  attemptNo: spend.attempt + 1,
});

/** Without a hold the bytes are sent again sooner, and a later refusal settles nothing. */
async function hold({ db, log }: SubmitDeps, open: readonly SignedSpend[]): Promise<void> {
  await holdResends(db, open.map(attemptOf)).catch((err: unknown) => {
    log.warn({ sends: open.length, err }, 'the re-sends of slow first sends could not be held');
  });
}

/** Makes the first send; returns the spend when that refused it. */
async function sendFirst(
  deps: SendDeps,
  lane: Lane,
  sendUntilMs: number,
  one: SignedSpend,
): Promise<Spend | null> {
  if (deps.nowMs() > sendUntilMs) return null;
  const { spend, prepared } = one;
  const { signed, minContextSlot } = prepared;
  try {
    const endSend = startSpan('send');
    const answer = await deps.send(signed.wire, { skipPreflight: false, minContextSlot });
    deps.metrics.sends.inc({ outcome: answer.kind });
    endSend(spend, { attributes: { 'agent_wallet.outcome': answer.kind } });
    if (answer.kind === 'not_taken') await sendElsewhere(deps, sendUntilMs, spend);
    if (answer.kind === 'unknown') await deps.resendNow(attemptOf(one));
    if (answer.kind !== 'refused' || isReplayRefusal(answer.failure)) return null;
    const verdict = await describeRefusal(deps.isSessionAbsent, lane, answer.failure);
    if (verdict === null) {
      await deps.resendNow(attemptOf(one));
      return null;
    }
    const attempt = spend.attempt + 1;
    const refused = await deps.refuse({ spend, attempt, ...verdict });
    if (refused !== null) deps.metrics.refusals.inc({ code: verdict.code });
    return refused;
  } catch (error) {
    // The attempt is stored and watched, whatever became of its first send.
    deps.metrics.faults.inc({ stage: 'send' });
    deps.log.warn({ spendId: spend.spendId, err: error }, 'first send broke off');
    return null;
  }
}

/**
 * Sends the bytes to every endpoint at once when the first one did not take them. The statement of
 * that endpoint is no proof: a proxy at its address may have repeated the call on a node that
 * forwarded them. The send is therefore counted as a re-send before it is made, and from then on
 * neither a refusal in preflight nor its reply is a verdict. It skips preflight, so that a node
 * which is behind forwards the bytes as well; a spend that breaks a limit then lands as a failure.
 */
async function sendElsewhere(
  deps: SubmitDeps,
  sendUntilMs: number,
  { spendId, attempt }: Spend,
): Promise<void> {
  if (deps.nowMs() > sendUntilMs) return;
  const wire = await raiseBroadcasts(deps.db, { spendId, attempt: attempt + 1 });
  if (wire !== null) await deps.sendAgain(wire, { skipPreflight: true });
}
