import { matchUrl, parsePattern } from './url-pattern.ts';

/** `max_per_call` in base units. */
type UrlEntry = { readonly pattern: string; readonly max_per_call: bigint | number | string };

/**
 * The most that a call of `url` may cost, in base units: with several entries that match, the one
 * that allows most decides. Null when none matches. An entry that cannot be read matches nothing.
 */
export function maxPerCall(allowlist: readonly UrlEntry[], url: string): bigint | null {
  let most: bigint | null = null;
  for (const entry of allowlist) {
    const parsed = parsePattern(entry.pattern);
    if (!parsed.ok || !matchUrl(parsed.pattern, url)) continue;
    const allowed = BigInt(entry.max_per_call);
    if (most === null || allowed > most) most = allowed;
  }
  return most;
}
