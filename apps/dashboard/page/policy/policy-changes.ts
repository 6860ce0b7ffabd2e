import { formatUsdc, type PolicyRequest } from '@agent-wallet/sdk/owner';
import { hoursOf } from './hours/hours-draft.ts';
import { DAYS } from './hours/week-hours.ts';

type Rules = Pick<PolicyRequest, 'url_allowlist' | 'time_window'>;

/** One difference between the rules in force and the rules to save. */
export type PolicyChange = {
  /** Whether agents may do more, less or something else after it. */
  readonly effect: 'allows_more' | 'allows_less' | 'differs';
  readonly text: string;
};

/** What saving changes, entry by entry; empty when nothing does. */
export function policyChanges(before: Rules, after: Rules): readonly PolicyChange[] {
  return [...urlChanges(before, after), ...hourChanges(before, after)];
}

function urlChanges(before: Rules, after: Rules): PolicyChange[] {
  const old = new Map(before.url_allowlist.map((entry) => [entry.pattern, entry.max_per_call]));
  const kept = new Set(after.url_allowlist.map(({ pattern }) => pattern));
  const changes: PolicyChange[] = [];
  for (const { pattern, max_per_call } of after.url_allowlist) {
    const most = old.get(pattern);
    const to = formatUsdc(max_per_call);
    if (most === undefined) {
      changes.push({ effect: 'allows_more', text: `Allow ${pattern} for up to ${to} USDC a call` });
    } else if (most !== max_per_call) {
      const effect = max_per_call > most ? 'allows_more' : 'allows_less';
      const from = formatUsdc(most);
      changes.push({ effect, text: `Change ${pattern} from ${from} to ${to} USDC a call` });
    }
  }
  for (const { pattern } of before.url_allowlist) {
    if (kept.has(pattern)) continue;
    changes.push({ effect: 'allows_less', text: `Remove ${pattern}` });
  }
  return changes;
}

function hourChanges(before: Rules, after: Rules): PolicyChange[] {
  const [old, now] = [describeHours(before.time_window), describeHours(after.time_window)];
  if (old === now) return [];
  if (before.time_window === null) {
    return [{ effect: 'allows_less', text: `Allow spending only ${now}` }];
  }
  if (after.time_window === null) {
    return [{ effect: 'allows_more', text: `Allow spending at any time instead of only ${old}` }];
  }
  return [{ effect: 'differs', text: `Allow spending ${now} instead of ${old}` }];
}

/** A window in words: `Mon–Fri 09:00–17:00 (Europe/Berlin)`. */
function describeHours(window: Rules['time_window']): string {
  if (window === null) return 'at any time';
  const { from, until, timezone } = hoursOf(window);
  const end = until === '00:00' ? '24:00' : until;
  const isOvernight = window.start_min > window.end_min;
  return `${describeDays(window.days)} ${from}–${end}${isOvernight ? ' of the next day' : ''} (${timezone})`;
}

const short = (day: number): string => (DAYS[day] ?? '').slice(0, 3);

/** Runs of days: `Mon–Fri`, `Mon, Wed–Thu`. */
function describeDays(mask: number): string {
  const days = DAYS.keys().filter((day) => (mask & (1 << day)) !== 0);
  const runs: { first: number; last: number }[] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run !== undefined && run.last === day - 1) run.last = day;
    else runs.push({ first: day, last: day });
  }
  const texts = runs.map(({ first, last }) =>
    first === last ? short(first) : `${short(first)}–${short(last)}`,
  );
  return texts.length === 0 ? 'on no day,' : texts.join(', ');
}
