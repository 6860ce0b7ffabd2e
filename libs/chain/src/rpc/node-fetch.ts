/** The transport of all calls to one node: a time limit for each, and its pauses. */

import type { CallGate, WaitLimit } from '../endpoints/call-gate.ts';
import type { Fetch } from './json-rpc.ts';
import type { OnCall } from './rpc-call.ts';
import { refusedByReply } from './throttled-error.ts';

const TOO_MANY_REQUESTS = 429;
/** Never repeated here: a repeated call is a second send. */
const SEND = 'sendTransaction';
/**
 * The part of a call's time that its waits may take. A call that is sent too late fails, and would
 * count as a fault of an endpoint that is well.
 */
const WAITS_PART = 0.75;

type NodeFetchOptions = {
  readonly fetch: Fetch;
  /** Limit of each call, with its waits at the gate and with its body. */
  readonly timeoutMs: number;
  readonly gate: CallGate | undefined;
  /** Called for each refusal that is followed by a repetition. */
  readonly onCall: OnCall | undefined;
};

/**
 * Throws ThrottledError for a reply with status 429. A throttled read is repeated after the pause
 * when that leaves it enough time and no other endpoint is free: a read changes nothing.
 */
export function createNodeFetch({ fetch, timeoutMs, gate, onCall }: NodeFetchOptions): Fetch {
  return async (input, init) => {
    const startedAtMs = performance.now();
    const signal = AbortSignal.timeout(timeoutMs);
    const waitsMs = Math.floor(timeoutMs * WAITS_PART);
    const waits: WaitLimit = {
      untilMs: startedAtMs + waitsMs,
      signal: AbortSignal.timeout(waitsMs),
    };
    const method = methodOf(init?.body);
    for (;;) {
      await gate?.enter(method, waits);
      const reply = await fetch(input, { ...init, signal });
      if (reply.status !== TOO_MANY_REQUESTS) return reply;
      const refused = await refusedByReply(reply);
      gate?.refused(method, refused);
      if (gate === undefined || method === SEND || !gate.isWorthWaiting(method, waits)) {
        throw refused;
      }
      onCall?.(method, 'throttled', (performance.now() - startedAtMs) / 1_000);
    }
  };
}

/** The method of a JSON-RPC call; every serializer here writes it before the parameters. */
function methodOf(body: unknown): string {
  return /"method"\s*:\s*"(\w+)"/.exec(String(body))?.[1] ?? '';
}
