import { randomUUID } from 'node:crypto';
import { type Database, isDatabaseFault } from '@agent-wallet/db';
import { isAppError } from '@agent-wallet/errors';
import type { Logger } from '@agent-wallet/process';
import {
  announceSettled,
  countFault,
  listQueued,
  readLane,
  readLaneLoad,
  REFUSALS,
  rejectQueued,
  releaseLease,
  type Lane,
  type Spend,
  takeLease,
} from '@agent-wallet/spend';
import type { DetectRestore } from './detect-restore.ts';
import { type LeaseClock, startLeaseClock } from './lease-clock.ts';
import type { Metrics } from '../metrics.ts';
import { type ChainView, canPipeline, type ReadChainView } from './pipeline.ts';
import type { Preparation } from '../sign/preparation.ts';
import type { PrepareSpend } from '../sign/prepare-spend.ts';
import type { SubmitSpend } from './submit-spend.ts';
import { isTimeWindowOpen } from './time-window.ts';

const LEASE_MS = 10_000;
const RUN_MS = 5_000;
const MAX_CLAIMS_PER_RUN = 32;
const FAULTS_UNTIL_REJECTED = 3;
/** The program remembers 256 sequence numbers behind the newest; half of them stay in reserve. */
const MAX_SEQ_SPREAD = 128n;

type LaneDeps = {
  readonly db: Database;
  readonly nudge: (sessionId: string) => Promise<void>;
  readonly prepare: PrepareSpend;
  readonly submit: SubmitSpend;
  readonly readChainView: ReadChainView;
  readonly detectRestore: DetectRestore;
  /** Upper bound of one send, below the lease. */
  readonly sendMs: number;
  /** How many spends of a session may be in flight at once. */
  readonly depth: number;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** 'more': the run nudges again. After 'drained' or 'full' the next nudge comes from elsewhere. */
type RunEnd = 'drained' | 'full' | 'more' | 'stopped';

type Step = { readonly kind: 'next' } | { readonly kind: 'end'; readonly end: RunEnd };
const NEXT: Step = { kind: 'next' };
const endAs = (end: RunEnd): Step => ({ kind: 'end', end });

/**
 * Runs a session's lane once: takes its lease, sends its queued spends in the order of acceptance,
 * and releases the lease. Does nothing while another worker holds the lane.
 */
export function createRunLane(deps: LaneDeps): (sessionId: string) => Promise<void> {
  return async (sessionId) => {
    const clock = startLeaseClock({ leaseMs: LEASE_MS, runMs: RUN_MS, sendMs: deps.sendMs });
    const holder = randomUUID();
    const fence = await takeLease(deps.db, { sessionId, holder, leaseMs: LEASE_MS });
    if (fence === null) return;
    let end: RunEnd = 'drained';
    try {
      end = await drain(deps, { sessionId, fence, clock });
    } finally {
      await releaseLease(deps.db, { sessionId, fence });
    }
    if (end === 'more') await deps.nudge(sessionId);
  };
}

type Run = { readonly sessionId: string; readonly fence: bigint; readonly clock: LeaseClock };

async function drain(deps: LaneDeps, run: Run): Promise<RunEnd> {
  // Read once: a run is short.
  let view: ChainView | null | undefined;
  for (let claims = 0; claims < MAX_CLAIMS_PER_RUN; claims += 1) {
    if (run.clock.isSpent()) return 'more';
    const lane = await readLane(deps.db, run.sessionId);
    if (lane === null) return 'drained';
    if (lane.inFlight >= deps.depth) return 'full';
    const [spend] = await listQueued(deps.db, { sessionId: run.sessionId, limit: 1 });
    if (spend === undefined) return 'drained';
    try {
      view ??= await deps.readChainView(lane);
    } catch (error) {
      deps.metrics.faults.inc({ stage: 'away' });
      deps.log.warn({ sessionId: run.sessionId, err: error }, 'the session could not be read');
      return 'stopped';
    }
    if (view !== null && (await deps.detectRestore(lane, view))) return 'stopped';
    if (lane.inFlight > 0) {
      // The spends in flight settle first, unless this one passes whatever becomes of them.
      if (view === null) return 'full';
      const load = await readLaneLoad(deps.db, { ...lane, sinceSlot: view.slot });
      if (!canPipeline(view, load, spend, deps.nowMs())) return 'full';
    }
    const step = await advance(deps, run, lane, spend);
    if (step.kind === 'end') return step.end;
  }
  return 'more';
}

async function advance(
  deps: LaneDeps,
  run: Run,
  lane: Lane,
  spend: Spend & { readonly overdue: boolean },
): Promise<Step> {
  if (spend.overdue) {
    return rejectOverdue(deps, run, spend);
  }
  if (!isTimeWindowOpen(lane.timeWindow, deps.nowMs())) {
    const code = REFUSALS.outsideTimeWindow;
    return reject(deps, run, spend, code, 'the time window closed before it was sent');
  }
  const seq = spend.spendSeq ?? lane.nextSeq;
  if (lane.oldestOpenSeq !== null && seq - lane.oldestOpenSeq >= MAX_SEQ_SPREAD) {
    return endAs('full');
  }
  let prepared: Preparation;
  try {
    prepared = await deps.prepare(lane, spend);
  } catch (error) {
    return handlePrepareFault(deps, run, spend, error);
  }
  if (prepared.kind === 'refused') {
    return reject(deps, run, spend, prepared.code, prepared.detail);
  }
  const { fence, clock } = run;
  const submission = await deps.submit({ lane, spend, prepared, fence, clock });
  switch (submission.kind) {
    case 'sent':
    case 'stored':
      return NEXT;
    case 'refused':
      deps.log.info({ spendId: spend.spendId, code: submission.spend.code }, 'spend refused');
      await announceSettled(deps.db, [spend.spendId]);
      return NEXT;
    case 'not_claimed': {
      const { outcome } = submission;
      if (outcome === 'paid_before') {
        const detail =
          'another request under its key was paid before a restore; send it again to get that spend';
        return reject(deps, run, spend, REFUSALS.expiredUnsent, detail);
      }
      const isStale = outcome === 'seq_taken' || outcome === 'policy_changed' || outcome === 'gone';
      return isStale ? NEXT : endAs('stopped');
    }
  }
}

/** Never sent, or sent and provably never landed: either way nothing moved. */
async function rejectOverdue(deps: LaneDeps, run: Run, spend: Spend): Promise<Step> {
  if (spend.attempt === 0) {
    return reject(deps, run, spend, REFUSALS.expiredUnsent, 'no worker took it in time');
  }
  const detail = 'the transaction expired and it was too late to sign again';
  return reject(deps, run, spend, REFUSALS.neverLanded, detail);
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
