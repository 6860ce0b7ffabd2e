import { setImmediate as endOfTick } from 'node:timers/promises';
import {
  type Lane,
  type LaneLoad,
  type LaneQueue,
  type QueuedSpend,
  REFUSALS,
} from '@agent-wallet/spend';
import { startSpan } from '@agent-wallet/tracing';
import type { Refusal } from '../sign/describe-refusal.ts';
import type { PreparedSpend } from '../sign/preparation.ts';
import type { PrepareSpend } from '../sign/prepare-spend.ts';
import { addToLoad, canPipeline, type ChainView } from './pipeline.ts';
import type { SignedSpend } from './submit-spends.ts';
import { isTimeWindowOpen } from './time-window.ts';

/** The program remembers 256 sequence numbers behind the newest; half of them stay in reserve. */
const MAX_SEQ_SPREAD = 128n;
/** Signing takes CPU time, which the other lanes and the process's timers need as well. */
const SIGNED_PER_TICK = 16;

/** 'full': it waits until others have settled. */
type NotReady =
  | { readonly kind: 'full' }
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'fault'; readonly error: unknown };

/** Spends that can be claimed at once, and the spend after them if it is not one of these. */
type Batch = {
  readonly signed: readonly SignedSpend[];
  readonly next: { readonly spend: QueuedSpend; readonly why: NotReady } | null;
};

export type PrepareBatch = (
  queue: LaneQueue,
  view: ChainView | null,
  options: { readonly most: number },
) => Promise<Batch>;

/** What the chain's state at a slot does not show yet of a lane. */
export type ReadLoad = (lane: Lane, sinceSlot: bigint) => Promise<LaneLoad>;

type BatchDeps = {
  readonly readLoad: ReadLoad;
  readonly prepare: PrepareSpend;
  /** How many spends of a session may be in flight at once. */
  readonly depth: number;
  readonly nowMs: () => number;
};

/**
 * Signs the spends at the head of a lane, in memory, as if each before it was in flight already: at
 * most `most`, up to the first that is not ready.
 */
export function createPrepareBatch(deps: BatchDeps): PrepareBatch {
  return async ({ lane, queued }, view, { most }) => {
    const signed: SignedSpend[] = [];
    // A payment that a facilitator sends is not waited for.
    let waitedFor = lane.inFlight;
    let { nextSeq } = lane;
    let load: LaneLoad | null = null;
    for (const [place, spend] of queued.slice(0, most).entries()) {
      if (place > 0 && place % SIGNED_PER_TICK === 0) await endOfTick();
      if (waitedFor > 0) {
        load ??= await readLoad(deps, lane, view, signed);
        const fits = load !== null && view !== null && canPipeline(view, load, spend, deps.nowMs());
        if (waitedFor >= deps.depth || !fits) return { signed, next: { spend, why: FULL } };
      }
      const ready = await prepareOne(deps, { ...lane, nextSeq }, spend);
      if (ready.kind !== 'signed') return { signed, next: { spend, why: ready } };
      signed.push({ spend, prepared: ready });
      if (spend.broadcaster === 'worker') waitedFor += 1;
      if (spend.attempt === 0) nextSeq += 1n;
      if (load !== null) load = addToLoad(load, spend);
    }
    return { signed, next: null };
  };
}

const FULL: NotReady = { kind: 'full' };

/** Null when the chain shows no session, so that nothing can be compared. */
async function readLoad(
  deps: BatchDeps,
  lane: Lane,
  view: ChainView | null,
  signed: readonly SignedSpend[],
): Promise<LaneLoad | null> {
  if (view === null) return null;
  const load = await deps.readLoad(lane, view.slot);
  return signed.map(({ spend }) => spend).reduce(addToLoad, load);
}

async function prepareOne(
  deps: BatchDeps,
  lane: Lane,
  spend: QueuedSpend,
): Promise<NotReady | PreparedSpend> {
  if (spend.overdue) return { kind: 'refused', ...tooOld(spend) };
  if (!isTimeWindowOpen(lane.timeWindow, deps.nowMs())) {
    const detail = 'the time window closed before it was sent';
    return { kind: 'refused', code: REFUSALS.outsideTimeWindow, detail };
  }
  const seq = spend.spendSeq ?? lane.nextSeq;
  if (lane.oldestOpenSeq !== null && seq - lane.oldestOpenSeq >= MAX_SEQ_SPREAD) return FULL;
  try {
    const endPreparation = startSpan('prepare');
    const prepared = await deps.prepare(lane, spend);
    endPreparation(spend, { attributes: { 'agent_wallet.attempt': spend.attempt + 1 } });
    return prepared;
  } catch (error) {
    return { kind: 'fault', error };
  }
}

/** Never sent, or sent and provably never landed: either way nothing moved. */
function tooOld({ attempt }: QueuedSpend): Refusal {
  if (attempt === 0) {
    return { code: REFUSALS.expiredUnsent, detail: 'no worker took it in time' };
  }
  const detail = 'the transaction expired and it was too late to sign again';
  return { code: REFUSALS.neverLanded, detail };
}
