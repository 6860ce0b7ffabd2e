import { matchUrl, maxPerCall, parsePattern, readStrictUrl } from '@agent-wallet/policy';
import { usdc } from '@agent-wallet/sdk/owner';
import { type EntryDraft, faultsOf } from '../policy-draft.ts';

/** What the service would say about a URL under the rows as they are typed. */
export type TriedUrl =
  | { readonly kind: 'empty' }
  /** `reason` completes "the URL …". */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unmatched' }
  /** `maxPerCall` in base units; `ids` are the rows that match. */
  | {
      readonly kind: 'matched';
      readonly maxPerCall: bigint;
      readonly ids: ReadonlySet<number>;
    };

/** Tries a URL by the rule of the service. Rows with a fault count as absent. */
export function tryUrl(entries: readonly EntryDraft[], url: string): TriedUrl {
  if (url.trim() === '') return { kind: 'empty' };
  const read = readStrictUrl(url.trim());
  if (!read.ok) return { kind: 'refused', reason: read.reason };
  const faults = faultsOf(entries);
  const usable = entries.filter((_entry, i) => {
    const fault = faults[i];
    return fault?.pattern === null && fault.maxPerCall === null;
  });
  const most = maxPerCall(
    usable.map((entry) => ({
      pattern: entry.pattern.trim(),
      max_per_call: usdc(entry.maxPerCall.trim()),
    })),
    url.trim(),
  );
  if (most === null) return { kind: 'unmatched' };
  const matching = usable.filter((entry) => {
    const parsed = parsePattern(entry.pattern.trim());
    return parsed.ok && matchUrl(parsed.pattern, url.trim());
  });
  return { kind: 'matched', maxPerCall: most, ids: new Set(matching.map(({ id }) => id)) };
}
