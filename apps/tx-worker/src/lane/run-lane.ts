import { isChainAway } from '@agent-wallet/chain';
import { type Database, isDatabaseFault } from '@agent-wallet/db';
import { isAppError } from '@agent-wallet/errors';
import type { Logger } from '@agent-wallet/process';
import {
  announceSettled,
  type ClaimOutcome,
  countFault,
  type LaneQueue,
  type OpenedLane,
  readLane,
  REFUSALS,
  rejectQueued,
  releaseLease,
  type Spend,
} from '@agent-wallet/spend';
import { type EndSpan, startSpan } from '@agent-wallet/tracing';
import type { DetectRestore } from './detect-restore.ts';
import type { Metrics } from '../metrics.ts';
import type { ChainView, ReadChainView } from './pipeline.ts';
import { createPrepareBatch, type ReadLoad } from './prepare-batch.ts';
import type { PrepareSpend } from '../sign/prepare-spend.ts';
import type { SignedSpend, SubmitSpends } from './submit-spends.ts';

/** Half of the lease. */
const RUN_MS = 5_000;
export const MAX_CLAIMS_PER_RUN = 96;
/** A round claims at least one spend, rejects one, or reads again what has changed meanwhile. */
const MAX_ROUNDS_PER_RUN = 2 * MAX_CLAIMS_PER_RUN;
const FAULTS_UNTIL_REJECTED = 3;

type LaneDeps = {
  readonly db: Database;
  readonly nudge: (walletId: string) => Promise<void>;
  readonly prepare: PrepareSpend;
  readonly readLoad: ReadLoad;
  readonly submit: SubmitSpends;
  readonly readChainView: ReadChainView;
  readonly detectRestore: DetectRestore;
  /** How many spends of a session may be in flight at once. */
  readonly depth: number;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/**
 * 'more': it needs another nudge. After 'drained' or 'full' the next one comes from elsewhere.
 * 'away': the calls of this process to the chain fail at once.
 */
type RunEnd = 'drained' | 'full' | 'more' | 'stopped' | 'away';

/** The lane is free again; `sends` ends with the first sends that the run has begun. */
type LaneRun = { readonly end: RunEnd; readonly sends: Promise<void> };
export type RunLane = (opened: OpenedLane) => Promise<LaneRun>;

type Deps = LaneDeps & { readonly prepareBatch: ReturnType<typeof createPrepareBatch> };
type Run = {
  readonly sessionId: string;
  readonly walletId: string;
  readonly fence: bigint;
  /** On the monotonic clock. */
  readonly endMs: number;
  readonly sends: Promise<readonly Spend[]>[];
  readonly endSpan: EndSpan;
  isReleased: boolean;
  /** After a batch that could not be stored, each spend goes alone. */
  most: number;
};

/**
 * Runs a session's lane, which was opened just now, once: claims its queued spends in the order of
 * acceptance, and releases the lease, also when it fails. It does not wait for the sends.
 */
export function createRunLane(laneDeps: LaneDeps): RunLane {
  const deps: Deps = { ...laneDeps, prepareBatch: createPrepareBatch(laneDeps) };
  return async (opened) => {
    const { sessionId, walletId } = opened.lane;
    const { fence } = opened;
    const endMs = performance.now() + RUN_MS;
    const most = MAX_CLAIMS_PER_RUN;
    const endSpan = startSpan('run lane');
    const started = { sessionId, walletId, fence, endMs, endSpan, most };
    const run: Run = { ...started, sends: [], isReleased: false };
    let end: RunEnd = 'stopped';
    try {
      end = await drain(deps, run, opened);
    } finally {
      if (!run.isReleased) await releaseLease(deps.db, { sessionId, fence });
    }
    return { end, sends: finishSends(deps, run, end) };
  };
}

/** A refusal makes room at once, so a lane that waits for room is nudged. */
async function finishSends(deps: LaneDeps, { walletId, sends }: Run, end: RunEnd): Promise<void> {
  const refused = (await Promise.all(sends)).flat();
  if (refused.length === 0) return;
  for (const { spendId, code } of refused) deps.log.info({ spendId, code }, 'spend refused');
  const spendIds = refused.map(({ spendId }) => spendId);
  await announceSettled(deps.db, spendIds).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'refusals could not be announced');
  });
  if (end === 'full') await deps.nudge(walletId);
}

async function drain(deps: Deps, run: Run, opened: OpenedLane): Promise<RunEnd> {
  // Read once: a run is short.
  let view: ChainView | null | undefined;
  let claims = 0;
  let queue: LaneQueue | null = opened;
  for (let round = 0; round < MAX_ROUNDS_PER_RUN; round += 1) {
    const room = MAX_CLAIMS_PER_RUN - claims;
    if (performance.now() >= run.endMs || room === 0) return 'more';
    if (round > 0) queue = await readLane(deps.db, run.sessionId, room);
    if (queue === null) return 'drained';
    if (queue.lane.inFlight >= deps.depth) return 'full';
    if (queue.queued.length === 0) return 'drained';
    try {
      view ??= await deps.readChainView(queue.lane);
    } catch (error) {
      deps.metrics.faults.inc({ stage: 'away' });
      deps.log.warn({ sessionId: run.sessionId, err: error }, 'the session could not be read');
      return isChainAway(error) ? 'away' : 'stopped';
    }
    if (view !== null && (await deps.detectRestore(queue.lane, view))) return 'stopped';
    const step = await advance(deps, run, { queue, view, room });
    if (step.end !== null) return step.end;
    claims += step.claims;
  }
  return 'more';
}

type Step = { readonly end: RunEnd | null; readonly claims: number };
const NEXT: Step = { end: null, claims: 0 };
const endAs = (end: RunEnd): Step => ({ end, claims: 0 });

async function advance(
  deps: Deps,
  run: Run,
  round: { readonly queue: LaneQueue; readonly view: ChainView | null; readonly room: number },
): Promise<Step> {
  const { queue, view, room } = round;
  const { signed, next } = await deps.prepareBatch(queue, view, { most: run.most });
  if (signed.length > 0) {
    if (next?.why.kind === 'full') return claim(deps, run, queue, signed, 'full');
    // Another spend that is left needs the lane: the next round begins with it.
    const isWhole = signed.length === queue.queued.length;
    const isLast = signed.length < room;
    return claim(deps, run, queue, signed, isWhole ? (isLast ? 'drained' : 'more') : null);
  }
  if (next === null) return endAs('drained');
  const { spend, why } = next;
  switch (why.kind) {
    case 'full':
      return endAs('full');
    case 'refused':
      return reject(deps, run, spend, why.code, why.detail);
    case 'fault':
      return handlePrepareFault(deps, run, spend, why.error);
  }
}

async function claim(
  deps: Deps,
  run: Run,
  { lane }: LaneQueue,
  batch: readonly SignedSpend[],
  thenEnd: RunEnd | null,
): Promise<Step> {
  const { fence } = run;
  const thenRelease = thenEnd !== null;
  let submission: Awaited<ReturnType<SubmitSpends>>;
  try {
    submission = await deps.submit({ lane, fence, batch, thenRelease });
  } catch (error) {
    // One row that cannot be stored must not hold up its neighbours, and of many rows one is
    // refused more often.
    if (batch.length === 1) throw error;
    deps.log.warn({ sessionId: run.sessionId, err: error }, 'a batch could not be stored');
    run.most = 1;
    return NEXT;
  }
  run.sends.push(submission.sends);
  const { count, outcome } = submission;
  for (const { spend } of batch.slice(0, count)) run.endSpan(spend);
  if (outcome === 'claimed') {
    run.isReleased = thenRelease;
    return { end: thenEnd, claims: count };
  }
  const step = await handleRefusedClaim(deps, run, batch[count]?.spend, outcome);
  return { end: step.end, claims: count };
}

async function handleRefusedClaim(
  deps: LaneDeps,
  run: Run,
  spend: Spend | undefined,
  outcome: Exclude<ClaimOutcome, 'claimed'>,
): Promise<Step> {
  if (outcome === 'paid_before' && spend !== undefined) {
    const detail =
      'another request under its key was paid before a restore; send it again to get that spend';
    return reject(deps, run, spend, REFUSALS.expiredUnsent, detail);
  }
  const isStale = outcome === 'seq_taken' || outcome === 'policy_changed' || outcome === 'gone';
  return isStale ? NEXT : endAs('stopped');
}

async function reject(
  deps: LaneDeps,
  run: Run,
  spend: Spend,
  code: string,
  detail: string,
): Promise<Step> {
  const rejected = await rejectQueued(deps.db, { spend, fence: run.fence, code, detail });
  if (rejected === null) return endAs('more');
  deps.metrics.refusals.inc({ code });
  deps.log.warn({ spendId: spend.spendId, code }, 'spend refused by its lane');
  await announceSettled(deps.db, [spend.spendId]);
  return NEXT;
}

/**
 * An unavailable dependency is not the spend's fault: the run ends, and the sweep nudges it again.
 * A row that the signer refuses, or that keeps failing, is rejected so that it cannot block its
 * lane.
 */
async function handlePrepareFault(
  deps: LaneDeps,
  run: Run,
  spend: Spend,
  error: unknown,
): Promise<Step> {
  const { spendId } = spend;
  if (isAppError(error, 'SIGNER_MISMATCH')) {
    deps.metrics.signerMismatches.inc();
    deps.log.error({ spendId, err: error }, 'the signer refused bytes that do not match their row');
    return reject(deps, run, spend, REFUSALS.internal, 'the signer refused the transaction');
  }
  const away =
    isAppError(error, 'RPC_UNAVAILABLE') ||
    isAppError(error, 'KEYSTORE_UNAVAILABLE') ||
    isAppError(error, 'FEE_PAYERS_EMPTY') ||
    isDatabaseFault(error);
  deps.metrics.faults.inc({ stage: away ? 'away' : 'prepare' });
  deps.log.warn({ spendId, err: error }, 'spend could not be prepared');
  if (away) return endAs('stopped');
  const faults = await countFault(deps.db, spendId);
  if (faults < FAULTS_UNTIL_REJECTED) return endAs('stopped');
  return reject(deps, run, spend, REFUSALS.internal, 'the transaction could not be built');
}
