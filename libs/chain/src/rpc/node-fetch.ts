/** The transport of all calls to one node: a time limit for each, and its pauses. */

import type { CallGate, CallLimit } from '../endpoints/call-gate.ts';
import type { Fetch } from './json-rpc.ts';
import type { OnCall } from './rpc-call.ts';
import { refusedByReply } from './throttled-error.ts';

const TOO_MANY_REQUESTS = 429;
/** Never repeated here: a repeated call is a second send. */
const SEND = 'sendTransaction';

type NodeFetchOptions = {
  readonly fetch: Fetch;
  /** Limit of each call, with its waits at the gate and with its body. */
  readonly timeoutMs: number;
  readonly gate: CallGate | undefined;
  /** Called for each refusal that is followed by a repetition. */
  readonly onCall: OnCall | undefined;
};

/**
 * Throws ThrottledError for a reply with status 429. A read that was refused is repeated after the
 * pause where that fits its time limit and no other endpoint is free: it was not answered, and it
 * changes nothing.
 */
export function createNodeFetch({ fetch, timeoutMs, gate, onCall }: NodeFetchOptions): Fetch {
  return async (input, init) => {
    const startedAtMs = performance.now();
    const untilMs = startedAtMs + timeoutMs;
    const limit: CallLimit = { untilMs, signal: AbortSignal.timeout(timeoutMs) };
    const method = methodOf(init?.body);
    for (;;) {
      await gate?.enter(method, limit);
      const reply = await fetch(input, { ...init, signal: limit.signal });
      if (reply.status !== TOO_MANY_REQUESTS) return reply;
      const refused = await refusedByReply(reply);
      gate?.refused(method, refused);
      if (gate === undefined || method === SEND || !gate.isWorthWaiting(method, limit)) {
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
