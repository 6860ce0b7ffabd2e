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
    const lane = laneOfClaim(args);
    if (lane !== null) onClaim(lane);
    if (typeof realQuery !== 'function') throw new TypeError('pg has changed');
    return Reflect.apply(realQuery, this, args);
  },
});

function onClaim(lane: string): void {
  claims += 1;
  const isMyTurn = part === 'first' ? claims % EVERY === FIRST : hasFirstStoppedAt(lane);
  if (isMyTurn) stopItself(part, lane);
}

/** Returns the session of a claim; null for other queries. */
function laneOfClaim(args: readonly unknown[]): string | null {
  const [query, given] = args;
  if (typeof query === 'string') return CLAIMS.test(query) ? sessionIn(given) : null;
  if (typeof query !== 'object' || query === null) return null;
  if (!('text' in query) || !CLAIMS.test(String(query.text))) return null;
  return sessionIn('values' in query ? query.values : given);
}

/** The ids of the spends are in a list; the session's is a value of its own. */
function sessionIn(values: unknown): string | null {
  if (!Array.isArray(values)) return null;
  const found: unknown = values.find((value) => SESSION_ID.test(String(value)));
  return typeof found === 'string' ? found : null;
}
