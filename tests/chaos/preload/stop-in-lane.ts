/**
 * Loaded first: stops a tx-worker when it has taken a lane's lease and is about to read the lane.
 * One worker (`CHAOS_PART=first`) does so now and then; the other one (`second`) when it takes the
 * lane of the one that stands still. When the first wakes, the second holds the lane.
 */
import { Client } from 'pg';
import { hasFirstStoppedAt, stopItself } from './stop-itself.ts';

/** Stands in the query that reads a lane. A row that never stops anybody makes no faults, and says so. */
const READS_A_LANE = /"oldestOpenSeq"/;
const FIRST = 30;
const EVERY = 150;

const part = process.env['CHAOS_PART'] === 'first' ? 'first' : 'second';
const realQuery: unknown = Reflect.get(Client.prototype, 'query');
let reads = 0;

Object.defineProperty(Client.prototype, 'query', {
  configurable: true,
  writable: true,
  value(this: Client, ...args: readonly unknown[]): unknown {
    const lane = laneReadBy(args);
    if (lane !== null) onLaneRead(lane);
    if (typeof realQuery !== 'function') throw new TypeError('pg has changed');
    return Reflect.apply(realQuery, this, args);
  },
});

function onLaneRead(lane: string): void {
  reads += 1;
  const isMyTurn = part === 'first' ? reads % EVERY === FIRST : hasFirstStoppedAt(lane);
  if (isMyTurn) stopItself(part, lane);
}

/** The session whose lane the query reads, by its only argument. */
function laneReadBy(args: readonly unknown[]): string | null {
  const [query, given] = args;
  if (typeof query === 'string') return READS_A_LANE.test(query) ? sessionIn(given) : null;
  if (typeof query !== 'object' || query === null) return null;
  if (!('text' in query) || !READS_A_LANE.test(String(query.text))) return null;
  return sessionIn('values' in query ? query.values : given);
}

function sessionIn(values: unknown): string {
  return JSON.stringify(values);
}
