import { isTimezone, parsePattern } from '@agent-wallet/policy';
import { formatUsdc, isAgentWalletError, type PolicyRequest, usdc } from '@agent-wallet/sdk/owner';
import { type HoursDraft, hoursOf, windowOf } from './hours/hours-draft.ts';

/** A row of the editor as it is typed; `id` is its identity on the page. */
export type EntryDraft = {
  readonly id: number;
  readonly pattern: string;
  /** USDC. */
  readonly maxPerCall: string;
};

/** The rules as they are typed; `hours` null: agents may spend at any time. */
export type PolicyDraft = {
  readonly entries: readonly EntryDraft[];
  readonly hours: HoursDraft | null;
};

type Rules = Pick<PolicyRequest, 'url_allowlist' | 'time_window'>;

export const MAX_ENTRIES = 100;

/** The draft that shows the rules in force. */
export const draftOf = ({ url_allowlist, time_window }: Rules): PolicyDraft => ({
  entries: url_allowlist.map(({ pattern, max_per_call }, id) => ({
    id,
    pattern,
    maxPerCall: formatUsdc(max_per_call),
  })),
  hours: time_window === null ? null : hoursOf(time_window),
});

/** What is wrong with a row; each null when nothing is. */
export type EntryFaults = { readonly pattern: string | null; readonly maxPerCall: string | null };

/** The faults of all rows, in their order. */
export function faultsOf(entries: readonly EntryDraft[]): readonly EntryFaults[] {
  const seen = new Set<string>();
  return entries.map(({ pattern, maxPerCall }) => {
    const parsed = parsePattern(pattern.trim());
    const isRepeated = parsed.ok && seen.has(parsed.text);
    if (parsed.ok) seen.add(parsed.text);
    const fault = parsed.ok ? null : `The pattern ${parsed.reason}.`;
    return {
      pattern: isRepeated ? 'The same pattern is listed above.' : fault,
      maxPerCall: faultOfAmount(maxPerCall),
    };
  });
}

function faultOfAmount(text: string): string | null {
  const units = readUsdc(text);
  if (units === null) return 'Enter an amount of USDC such as 0.05.';
  return units > 0n ? null : 'Enter an amount above 0.';
}

/** Base units; null for a text that is no amount. */
function readUsdc(text: string): bigint | null {
  try {
    return usdc(text.trim());
  } catch (error) {
    if (isAgentWalletError(error, 'INVALID_AMOUNT')) return null;
    throw error;
  }
}

/** The rules to save, with patterns in their one spelling; null while something is wrong. */
export function requestOf({ entries, hours }: PolicyDraft): PolicyRequest | null {
  const hasFault = faultsOf(entries).some(
    ({ pattern, maxPerCall }) => pattern !== null || maxPerCall !== null,
  );
  if (hasFault || entries.length > MAX_ENTRIES) return null;
  const time_window = hours === null ? null : windowOf(hours);
  if (hours !== null && (time_window === null || !isTimezone(hours.timezone))) return null;
  return {
    url_allowlist: entries.map(({ pattern, maxPerCall }) => {
      const parsed = parsePattern(pattern.trim());
      return {
        pattern: parsed.ok ? parsed.text : pattern,
        max_per_call: usdc(maxPerCall.trim()),
      };
    }),
    time_window,
  };
}
