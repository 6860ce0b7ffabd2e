import type { Settlement } from '@agent-wallet/spend';
import { settle, type SettleDeps } from '../settle.ts';
import { markDone, markMatched, postponeEvents } from './mark-events.ts';
import { type EventMatch, matchEvent } from './match-event.ts';
import { readUnmatched, type UnmatchedEvent } from './read-unmatched.ts';
import {
  type Discrepancy,
  recordDiscrepancy,
  recordMissingEvents,
} from './record-discrepancies.ts';

const BATCH = 256;
/** A landing settled here is matched once more; one that could not be written waits longer. */
const MATCH_AGAIN_MS = 1_000;
const RETRY_MS = 10_000;
/** Slots after which the follower must have read a landing's event: about two minutes. */
const EVENT_DUE_AFTER_SLOTS = 300n;

type Compared = { readonly event: UnmatchedEvent; readonly match: EventMatch };

export type ReconcilePass = {
  /** Events read in this pass. */
  readonly looked: number;
  /** The pass was full: there may be more. */
  readonly isMoreDue: boolean;
  /** Landings that could not be written; they are tried again. */
  readonly unsettled: number;
};

/**
 * One pass that compares the chain's events with the spends, both ways. An event of an open or
 * refused spend settles it. An event without a matching spend, and a landing without an event, is
 * recorded as a discrepancy and raises an alert. A repeated pass changes nothing. With `isEager`
 * the pass does not leave the watch time to settle landings first.
 */
export async function reconcile(
  deps: SettleDeps,
  { isEager }: { readonly isEager: boolean } = { isEager: false },
): Promise<ReconcilePass> {
  const { db } = deps;
  const events = await readUnmatched(db, { withinMs: isEager ? RETRY_MS : 0, limit: BATCH });
  const compared = events.map((event) => ({ event, match: matchEvent(event) }));
  const unsettled = await settleLandings(deps, compared);
  for (const { match } of compared) {
    if (match.kind !== 'discrepancy') continue;
    if (await recordDiscrepancy(db, match.record)) alert(deps, match.record);
  }
  await markMatched(
    db,
    compared.filter(({ match }) => match.kind === 'matched').map(({ event }) => event),
  );
  await markDone(
    db,
    compared.filter(({ match }) => match.kind !== 'landed').map(({ event }) => event),
  );
  const missing = { behindSlots: EVENT_DUE_AFTER_SLOTS, limit: BATCH };
  for (const record of await recordMissingEvents(db, missing)) alert(deps, record);
  return { looked: events.length, isMoreDue: events.length === BATCH, unsettled };
}

async function settleLandings(deps: SettleDeps, compared: readonly Compared[]): Promise<number> {
  const landings: UnmatchedEvent[] = [];
  const settlements: Settlement[] = [];
  for (const { event, match } of compared) {
    if (match.kind !== 'landed') continue;
    landings.push(event);
    settlements.push(match.settlement);
  }
  // First, so that a landing which fails every time blocks no other.
  await postponeEvents(deps.db, landings, RETRY_MS);
  const { moved } = await settle(deps, settlements);
  const settledIds = new Set(moved.map(({ spendId }) => spendId));
  const settled = landings.filter(({ spendId }) => settledIds.has(spendId));
  await postponeEvents(deps.db, settled, MATCH_AGAIN_MS);
  return landings.length - settled.length;
}

function alert({ log, metrics }: SettleDeps, record: Discrepancy): void {
  const { kind, spendId, subject, detail } = record;
  metrics.alerts.inc({ kind });
  log.error(
    { spendId, subject, detail },
    'chain and database disagree; the discrepancy is recorded',
  );
}
