import type { Session } from '@agent-wallet/sdk/owner';
import { Field } from '../../design/controls/field.tsx';
import { SelectField } from '../../design/controls/select-field.tsx';
import { DECISION_NAMES, KIND_NAMES, STATUS_NAMES } from '../list/names.ts';
import { sessionName } from '../list/session-names.ts';
import { type ActivityFilter, DECISIONS, isBackwards, KINDS, STATUSES } from './filter.ts';
import './filter-bar.css';

const ALL = 'all';
const RANGE_OPTIONS = [
  ['all', 'Any time'],
  ['day', 'Last 24 hours'],
  ['week', 'Last 7 days'],
  ['month', 'Last 30 days'],
  ['days', 'Chosen days'],
] as const;

/** What to show of the activity. Sessions are those of the wallet. */
export const FilterBar = ({
  filter,
  sessions,
  onChange,
}: {
  readonly filter: ActivityFilter;
  readonly sessions: readonly Session[];
  readonly onChange: (filter: ActivityFilter) => void;
}) => {
  const set = (change: Partial<ActivityFilter>) => onChange({ ...filter, ...change });
  const known = sessions.map((session) => [session.session_id, sessionName(session)] as const);
  const isKnown = known.some(([id]) => id === filter.session);
  const other =
    filter.session === null || isKnown
      ? []
      : [[filter.session, `Session ${filter.session.slice(0, 8)}`] as const];
  return (
    <div class="filter-bar" role="search" aria-label="Filter the activity">
      <SelectField
        label="Session"
        value={filter.session ?? ALL}
        options={[[ALL, 'All sessions'], ...known, ...other]}
        onChange={(id) => set({ session: id === ALL ? null : id })}
      />
      {filter.list === 'spends' ? (
        <>
          <SelectField
            label="Status"
            value={filter.status ?? ALL}
            options={withAll(STATUSES, STATUS_NAMES)}
            onChange={(status) => set({ status: status === ALL ? null : status })}
          />
          <SelectField
            label="Kind"
            value={filter.kind ?? ALL}
            options={withAll(KINDS, KIND_NAMES)}
            onChange={(kind) => set({ kind: kind === ALL ? null : kind })}
          />
        </>
      ) : (
        <SelectField
          label="Decision"
          value={filter.decision ?? ALL}
          options={withAll(DECISIONS, DECISION_NAMES)}
          onChange={(decision) => set({ decision: decision === ALL ? null : decision })}
        />
      )}
      <SelectField
        label="Time"
        value={filter.range}
        options={RANGE_OPTIONS}
        onChange={(range) => set({ range })}
      />
      {filter.range === 'days' ? (
        <>
          <Field
            label="First day"
            type="date"
            value={filter.firstDay ?? ''}
            onValue={(day) => set({ firstDay: day === '' ? null : day })}
          />
          <Field
            label="Last day"
            type="date"
            value={filter.lastDay ?? ''}
            error={isBackwards(filter) ? 'It is before the first day.' : null}
            onValue={(day) => set({ lastDay: day === '' ? null : day })}
          />
        </>
      ) : null}
    </div>
  );
};

const withAll = <Value extends string>(
  values: readonly Value[],
  names: Readonly<Record<Value, string>>,
): readonly (readonly [Value | typeof ALL, string])[] => [
  [ALL, 'All'],
  ...values.map((value) => [value, names[value]] as const),
];
