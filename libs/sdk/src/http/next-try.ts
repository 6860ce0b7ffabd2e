import type { Refusal } from './refusal.ts';

/** The result of one HTTP request. */
export type TryResult =
  | {
      readonly kind: 'replied';
      readonly status: number;
      /** Null for a success, a body that is not the API's, and an empty one. */
      readonly refusal: Refusal | null;
      /** Whether a 502 or 503 came from a host that is still starting, not from the API. */
      readonly isColdStart: boolean;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'failed' };

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const COLD_START_MS = 30_000;
/** Refusals that the same Idempotency-Key returns for ever, although a new spend may succeed. */
const BOUND_TO_KEY: ReadonlySet<string> = new Set(['NEVER_LANDED', 'FORKED_OUT', 'NOT_SETTLED']);

/**
 * How long to wait before a request is sent again, or null to stop. 1, 2, 4 … 30 s where the API or
 * the chain is unavailable, or as long as `Retry-After` says if that is longer; 30 s, once, for a
 * host that is starting. Every other refusal is final for this call: the caller decides.
 */
export function pauseBeforeNextTry(
  result: TryResult,
  earlier: readonly TryResult[],
): number | null {
  if (result.kind === 'failed') return backoffMs(earlier.length);
  if (result.isColdStart) return earlier.some(isColdStart) ? null : COLD_START_MS;
  if (!isTransient(result)) return null;
  return Math.max(backoffMs(earlier.length), result.retryAfterMs ?? 0);
}

function isTransient({ status, refusal }: Extract<TryResult, { kind: 'replied' }>): boolean {
  if (refusal === null || !refusal.retryable || BOUND_TO_KEY.has(refusal.code)) return false;
  return status === 429 || status === 503 || refusal.code === 'SERVICE_PROBE_FAILED';
}

const isColdStart = (result: TryResult): boolean => result.kind === 'replied' && result.isColdStart;

const backoffMs = (failures: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 5), LONGEST_PAUSE_MS);
