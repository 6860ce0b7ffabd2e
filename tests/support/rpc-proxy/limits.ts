import type { Fate } from './fault-proxy.ts';
import type { Profile } from './profiles.ts';

const WINDOW_MS = 10_000;

/** Returns the refusal of a call that is one too many in ten seconds; null for the others. */
export function createLimiter(
  { limits }: Profile,
  nowMs: () => number,
): (method: string) => Fate | null {
  let taken: readonly { readonly method: string; readonly atMs: number }[] = [];

  function refuse(text: string, oldestMs: number): Fate {
    const retryAfterS = Math.ceil((oldestMs + WINDOW_MS - nowMs()) / 1_000);
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code: 429, message: text }, id: 1 });
    return { kind: 'raw', status: 429, body, retryAfterS };
  }

  return (method) => {
    if (limits === undefined) return null;
    taken = taken.filter(({ atMs }) => atMs > nowMs() - WINDOW_MS);
    const ofMethod = taken.filter((call) => call.method === method);
    const [oldest] = taken;
    const [oldestOfMethod] = ofMethod;
    if (oldestOfMethod !== undefined && ofMethod.length >= limits.callsOfMethod) {
      return refuse('Too many requests for a specific RPC call', oldestOfMethod.atMs);
    }
    if (oldest !== undefined && taken.length >= limits.calls) {
      return refuse('Too many requests from your IP', oldest.atMs);
    }
    taken = [...taken, { method, atMs: nowMs() }];
    return null;
  };
}
