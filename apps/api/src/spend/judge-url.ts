import type { PolicyAnswer } from '@agent-wallet/contract';
import { matchUrl, parsePattern } from '@agent-wallet/policy';

type Allowlist = PolicyAnswer['url_allowlist'];

/**
 * Whether the wallet's allowlist lets a call of `url` cost `amount` (base units). With several
 * entries that match, the one that allows most decides; `maxPerCall` is null when none matches.
 */
export type UrlVerdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'url_not_allowed'; readonly maxPerCall: bigint | null };

export function judgeUrl(allowlist: Allowlist, url: string, amount: bigint): UrlVerdict {
  let maxPerCall: bigint | null = null;
  for (const entry of allowlist) {
    const parsed = parsePattern(entry.pattern);
    if (!parsed.ok || !matchUrl(parsed.pattern, url)) continue;
    const most = BigInt(entry.max_per_call);
    if (amount <= most) return { kind: 'allowed' };
    if (maxPerCall === null || most > maxPerCall) maxPerCall = most;
  }
  return { kind: 'url_not_allowed', maxPerCall };
}
