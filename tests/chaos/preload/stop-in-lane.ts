/**
 * Loaded first: stops a tx-worker that has taken a lane's lease and is about to read the lane. One
 * worker (`CHAOS_PART=first`) stops now and then, the other (`second`) when it takes the lane of
 * the stopped one. When the first wakes, the second holds the lane.
 */
import { Client } from 'pg';
import { hasFirstStoppedAt, stopItself } from './stop-itself.ts';

/** Part of the query that reads a lane. If it never matches, the row reports missing faults. */
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

/** Returns the query's only argument, which identifies the lane; null for other queries. */
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
