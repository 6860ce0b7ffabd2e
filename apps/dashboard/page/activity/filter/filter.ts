/** What the view of the activity shows. It is kept in the address, so that a reload keeps it. */
export type ActivityFilter = {
  readonly list: (typeof LISTS)[number];
  /** The id of a session; null: all. */
  readonly session: string | null;
  /** Of spends. */
  readonly status: (typeof STATUSES)[number] | null;
  readonly kind: (typeof KINDS)[number] | null;
  /** Of decisions. */
  readonly decision: (typeof DECISIONS)[number] | null;
  readonly range: (typeof RANGES)[number];
  /** Days of the owner's own calendar such as 2026-11-23, both included; for the range `days`. */
  readonly firstDay: string | null;
  readonly lastDay: string | null;
};

const LISTS = ['spends', 'decisions'] as const;
export const STATUSES = ['pending', 'confirmed', 'rejected'] as const;
export const KINDS = [
  'transfer',
  'sign_payment',
  'pay_service',
  'yield_deposit',
  'yield_withdraw',
] as const;
export const DECISIONS = ['allow', 'deny'] as const;
const RANGES = ['all', 'day', 'week', 'month', 'days'] as const;

const DAY_MS = 86_400_000;
const RANGE_DAYS = { day: 1, week: 7, month: 30 } as const;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The filter in the query of an address; anything else there is ignored. */
export function readFilter(query: Readonly<Record<string, string>>): ActivityFilter {
  const session = query['session'] ?? '';
  return {
    list: oneOf(LISTS, query['list']) ?? 'spends',
    session: UUID.test(session) ? session : null,
    status: oneOf(STATUSES, query['status']),
    kind: oneOf(KINDS, query['kind']),
    decision: oneOf(DECISIONS, query['decision']),
    range: oneOf(RANGES, query['range']) ?? 'all',
    firstDay: dayOrNull(query['first']),
    lastDay: dayOrNull(query['last']),
  };
}

/** The query of an address that `readFilter` reads; empty for the first view. */
export function writeFilter(filter: ActivityFilter): string {
  const query = new URLSearchParams();
  const set = (name: string, value: string | null, usual: string | null = null) => {
    if (value !== null && value !== usual) query.set(name, value);
  };
  set('list', filter.list, 'spends');
  set('session', filter.session);
  if (filter.list === 'spends') {
    set('status', filter.status);
    set('kind', filter.kind);
  } else {
    set('decision', filter.decision);
  }
  set('range', filter.range, 'all');
  if (filter.range === 'days') {
    set('first', filter.firstDay);
    set('last', filter.lastDay);
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** The moments that the range stands for: from the first on, and before the second. */
export function timesOf(
  { range, firstDay, lastDay }: ActivityFilter,
  nowMs: number,
): { readonly from?: Date; readonly to?: Date } {
  if (range === 'all') return {};
  if (range !== 'days') return { from: new Date(nowMs - RANGE_DAYS[range] * DAY_MS) };
  return {
    ...(firstDay === null ? {} : { from: startOfDay(firstDay, 0) }),
    ...(lastDay === null ? {} : { to: startOfDay(lastDay, 1) }),
  };
}

/** Whether the chosen days are in the wrong order: then nothing can match. */
export const isBackwards = ({ range, firstDay, lastDay }: ActivityFilter): boolean =>
  range === 'days' && firstDay !== null && lastDay !== null && lastDay < firstDay;

/** Whether the filter leaves anything out. */
export const isNarrowed = (filter: ActivityFilter): boolean =>
  writeFilter({ ...filter, list: 'spends' }) !== '' ||
  (filter.list === 'decisions' && filter.decision !== null);

/** The beginning of a day, or of one some days later, on the owner's own clock. */
function startOfDay(day: string, later: number): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later);
}

function dayOrNull(text: string | undefined): string | null {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  return Number.isNaN(Date.parse(text)) ? null : text;
}

const oneOf = <Value extends string>(
  values: readonly Value[],
  text: string | undefined,
): Value | null => values.find((value) => value === text) ?? null;
