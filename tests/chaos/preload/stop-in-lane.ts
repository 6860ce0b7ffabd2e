/**
 * Loaded first: stops a tx-worker that has taken a lane's lease and is about to claim. One worker
 * (`CHAOS_PART=first`) stops now and then, the other (`second`) when it is about to claim in the
 * lane of the stopped one. When the first wakes, the second holds the lane.
 */
import { Client } from 'pg';
import { hasFirstStoppedAt, stopItself } from './stop-itself.ts';

/** Part of the statement that claims. If it never matches, the row reports missing faults. */
const CLAIMS = /for no key update of spend/;
const SESSION_ID = /^[0-9a-f-]{36}$/;
const FIRST = 10;
const EVERY = 50;

const part = process.env['CHAOS_PART'] === 'first' ? 'first' : 'second';
const realQuery: unknown = Reflect.get(Client.prototype, 'query');
let claims = 0;

Object.defineProperty(Client.prototype, 'query', {
  configurable: true,
  writable: true,
  value(this: Client, ...args: readonly unknown[]): unknown {
    const lanes = lanesOfClaim(args);
    if (lanes.length > 0) onClaim(lanes);
    if (typeof realQuery !== 'function') throw new TypeError('pg has changed');
    return Reflect.apply(realQuery, this, args);
  },
});

function onClaim(lanes: readonly string[]): void {
  claims += 1;
  const isDue = claims % EVERY === FIRST;
  const lane = part === 'first' ? lanes.find(() => isDue) : lanes.find(hasFirstStoppedAt);
  if (lane !== undefined) stopItself(part, lane);
}

/** Returns the sessions of a claim; none for other queries. */
function lanesOfClaim(args: readonly unknown[]): readonly string[] {
  const [query, given] = args;
  if (typeof query === 'string') return CLAIMS.test(query) ? sessionsIn(given) : [];
  if (typeof query !== 'object' || query === null) return [];
  if (!('text' in query) || !CLAIMS.test(String(query.text))) return [];
  return sessionsIn('values' in query ? query.values : given);
}

/** The first value is the list of the sessions. */
function sessionsIn(values: unknown): readonly string[] {
  const first: unknown = Array.isArray(values) ? values[0] : undefined;
  if (!Array.isArray(first)) return [];
  return first.map(String).filter((id) => SESSION_ID.test(id));
}
