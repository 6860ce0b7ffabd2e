import type { PolicyAnswer } from '@agent-wallet/contract';
import { maxPerCall } from '@agent-wallet/policy';

type Allowlist = PolicyAnswer['url_allowlist'];

/** `maxPerCall` is null when no entry matches. */
export type UrlVerdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'url_not_allowed'; readonly maxPerCall: bigint | null };

/** Whether the wallet's allowlist lets a call of `url` cost `amount` (base units). */
export function judgeUrl(allowlist: Allowlist, url: string, amount: bigint): UrlVerdict {
  const most = maxPerCall(allowlist, url);
  if (most !== null && amount <= most) return { kind: 'allowed' };
  return { kind: 'url_not_allowed', maxPerCall: most };
}
