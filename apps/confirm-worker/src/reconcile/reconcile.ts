import { type WriteDeps, writeSettlements } from '../resolve/write-settlements.ts';
import { type EventVerdict, judgeEvent } from './judge-event.ts';
import { markDone, markJoined, putOff } from './mark-events.ts';
import { readUnjoined, type UnjoinedEvent } from './read-unmatched.ts';
import {
  recordMissingEvents,
  recordUnexplained,
  type Unexplained,
} from './record-discrepancies.ts';

const BATCH = 256;
/** A landing that this settled is matched once more; one that could not be written waits longer. */
const MATCH_AGAIN_MS = 1_000;
const RETRY_MS = 10_000;
/** Slots after which the follower must have met a landing: about two minutes. */
const EVENT_DUE_AFTER_SLOTS = 300n;

type Judged = { readonly event: UnjoinedEvent; readonly verdict: EventVerdict };

export type ReconcilePass = {
  /** Events looked at. */
  readonly looked: number;
  /** The pass was full: there may be more. */
  readonly isMoreDue: boolean;
  /** Landings that could not be written; they are tried again. */
  readonly unsettled: number;
};

/**
 * One pass that matches the chain's events and the rows, both ways. An event whose spend is open
 * or refused settles it; what no row explains, and a landing that the chain does not show, is
 * recorded and raises an alert. Repeating a pass changes nothing. `isEager` leaves the watch no time
 * to settle landings first.
 */
export async function reconcile(
  deps: WriteDeps,
  { isEager }: { readonly isEager: boolean } = { isEager: false },
): Promise<ReconcilePass> {
  const withinMs = isEager ? RETRY_MS : 0;
  const events = await readUnjoined(deps.db, { withinMs, limit: BATCH });
  const judged = events.map((event) => ({ event, verdict: judgeEvent(event) }));
  const unsettled = await settleLandings(deps, judged);
  for (const { verdict } of judged) {
    if (verdict.kind !== 'unexplained') continue;
    if (await recordUnexplained(deps.db, verdict.record)) alert(deps, verdict.record);
  }
  await markJoined(deps.db, eventsOf(judged, 'joined'));
  await markDone(
    deps.db,
    judged.filter(({ verdict }) => verdict.kind !== 'landed').map(({ event }) => event),
  );
  const missing = { behindSlots: EVENT_DUE_AFTER_SLOTS, limit: BATCH };
  for (const record of await recordMissingEvents(deps.db, missing)) alert(deps, record);
  return { looked: events.length, isMoreDue: events.length === BATCH, unsettled };
}

async function settleLandings(deps: WriteDeps, judged: readonly Judged[]): Promise<number> {
  const landings = eventsOf(judged, 'landed');
  // First, so that one which fails every time blocks no other.
  await putOff(deps.db, landings, RETRY_MS);
  const settlements = judged.flatMap(({ verdict }) =>
    verdict.kind === 'landed' ? [verdict.settlement] : [],
  );
  const moved = new Set((await writeSettlements(deps, settlements)).map(({ spendId }) => spendId));
  const settled = landings.filter(({ spendId }) => moved.has(spendId));
  await putOff(deps.db, settled, MATCH_AGAIN_MS);
  return landings.length - settled.length;
}

function eventsOf(judged: readonly Judged[], kind: EventVerdict['kind']): readonly UnjoinedEvent[] {
  return judged.filter(({ verdict }) => verdict.kind === kind).map(({ event }) => event);
}

function alert({ log, metrics }: WriteDeps, record: Unexplained): void {
  const { kind, spendId, subject, detail } = record;
  metrics.alerts.inc({ kind });
  log.error({ spendId, subject, detail }, 'chain and rows disagree; there is a record of it');
}
