/** The error of a call that was throttled or paused. */

import { retryAfterMsOf } from './retry-after.ts';

const DETAIL_LIMIT = 200;

/**
 * `refused`: the endpoint refused the call. `paused`: the call was not sent, because the endpoint
 * had asked for a pause or because our own limit was reached.
 */
type ThrottledBy = 'refused' | 'paused';

export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
  readonly by: ThrottledBy;
  /** How long to wait before the next call; null when the endpoint did not say. */
  readonly retryAfterMs: number | null;
  /** Whether only calls of the same method are throttled. */
  readonly isOfMethod: boolean;

  constructor(facts: {
    readonly by: ThrottledBy;
    readonly detail: string;
    readonly retryAfterMs: number | null;
    readonly isOfMethod: boolean;
  }) {
    super(`rate limited: ${facts.detail.slice(0, DETAIL_LIMIT)}`);
    this.by = facts.by;
    this.retryAfterMs = facts.retryAfterMs;
    this.isOfMethod = facts.isOfMethod;
  }
}

/**
 * JSON-RPC codes of a throttled call. -32005 is not among them: to a Solana node it means that the
 * node is behind.
 */
const THROTTLED_CODES: ReadonlySet<unknown> = new Set([429, -32_429]);

export function isThrottledCode(code: unknown): boolean {
  return THROTTLED_CODES.has(code);
}

/** The error of a refusal whose text may say that it concerns one method, as public nodes do. */
export function refusedBy(detail: string, retryAfterMs: number | null): ThrottledError {
  const isOfMethod = /specific RPC call|for this method|per.method/i.test(detail);
  return new ThrottledError({ by: 'refused', detail, retryAfterMs, isOfMethod });
}

/** The error of a reply with status 429. Reads the body. */
export async function refusedByReply(response: Response): Promise<ThrottledError> {
  const retryAfterMs = retryAfterMsOf(response.headers.get('retry-after'), Date.now());
  return refusedBy(`HTTP 429 ${await response.text()}`, retryAfterMs);
}
