/**
 * Our own limit of calls per second to an endpoint, in all and of one method.
 *
 * p-queue counts the calls of a sliding second, serves by priority and removes an aborted call from
 * the queue. The database client already depends on it.
 */

import PQueue from 'p-queue';

import { ThrottledError } from '../rpc/throttled-error.ts';

const WINDOW_MS = 1_000;
/** More than can be made within the time limit of one. Sends wait beside them: they are few. */
const MOST_WAITING = 512;

/** Limits of one process and one endpoint. Without a limit, calls are not counted. */
export type CallLimits = {
  readonly callsPerS: number | undefined;
  readonly callsPerMethodPerS: number | undefined;
};

/** Waits for the call's turn; throws ThrottledError when `signal` is aborted before. */
export type CallPace = (method: string, signal: AbortSignal) => Promise<void>;

const FIRST = 2;
const AWAITED = 1;
const BACKGROUND = 0;

/** Sends go first, then calls that a spend or a caller waits for, then polling. */
const PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['sendTransaction', FIRST],
  ['getLatestBlockhash', AWAITED],
  ['getMultipleAccounts', AWAITED],
  ['getSignatureStatuses', AWAITED],
  ['getTransaction', AWAITED],
  ['simulateTransaction', AWAITED],
]);

export function createCallPace({ callsPerS, callsPerMethodPerS }: CallLimits): CallPace {
  const ofAll = queueOf(callsPerS);
  const ofMethods = new Map<string, PQueue | null>();
  const ofMethod = (method: string): PQueue | null => {
    const queue = ofMethods.get(method) ?? queueOf(callsPerMethodPerS);
    ofMethods.set(method, queue);
    return queue;
  };
  return async (method, signal) => {
    const priority = PRIORITIES.get(method) ?? BACKGROUND;
    await takeTurn(ofMethod(method), { priority, signal });
    await takeTurn(ofAll, { priority, signal });
  };
}

function queueOf(perS: number | undefined): PQueue | null {
  if (perS === undefined) return null;
  return new PQueue({ intervalCap: perS, interval: WINDOW_MS, strict: true });
}

async function takeTurn(
  queue: PQueue | null,
  turn: { readonly priority: number; readonly signal: AbortSignal },
): Promise<void> {
  if (queue === null) return;
  if (turn.priority < FIRST && queue.size >= MOST_WAITING) throw tooMany('too many calls wait');
  try {
    await queue.add(() => undefined, turn);
  } catch {
    throw tooMany('no turn within the time limit');
  }
}

function tooMany(detail: string): ThrottledError {
  const facts = { retryAfterMs: WINDOW_MS, isOfMethod: false };
  return new ThrottledError({ by: 'paused', detail: `own limit, ${detail}`, ...facts });
}
