/** A wait that no endpoint should ask for; a longer one is shortened to it. */
const LONGEST_RETRY_AFTER_MS = 30_000;

/** The milliseconds of a Retry-After header: seconds or an HTTP date; null when it is neither. */
export function retryAfterMsOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), LONGEST_RETRY_AFTER_MS);
}
