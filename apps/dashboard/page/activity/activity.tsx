import { useLocation } from 'preact-iso';
import { EmptyState } from '../design/content/empty-state.tsx';
import { Button } from '../design/controls/button.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useLoad } from '../owner/use-load.ts';
import { ROUTES } from '../routes.ts';
import { CapCard } from './cap/cap-card.tsx';
import { ExportButton } from './export/export-button.tsx';
import { exportDecisions, exportSpends } from './export/export-list.ts';
import {
  type ActivityFilter,
  isNarrowed,
  readFilter,
  timesOf,
  writeFilter,
} from './filter/filter.ts';
import { FilterBar } from './filter/filter-bar.tsx';
import { DecisionTable } from './list/decision-table.tsx';
import { ListFrame } from './list/list-frame.tsx';
import { createSessionNames } from './list/session-names.ts';
import { SpendTable } from './list/spend-table.tsx';
import { usePagedList } from '../owner/paging/use-paged-list.ts';
import './activity.css';

const CAP_REFRESH_MS = 15_000;
const LISTS = [
  ['spends', 'Spends'],
  ['decisions', 'Decisions'],
] as const;

/** What agents have spent and tried to spend, why it was refused, and the room under their caps. */
export const Activity = () => {
  const { query, route } = useLocation();
  const filter = readFilter(query);
  const change = (next: ActivityFilter) => route(`${ROUTES.activity}${writeFilter(next)}`, true);
  const sessions = useLoad('sessions', (client, signal) => client.sessions({ signal }), {
    everyMs: CAP_REFRESH_MS,
  });
  const known = sessions.value ?? [];
  const nameOf = createSessionNames(known);
  const List = filter.list === 'spends' ? Spends : Decisions;
  return (
    <>
      <h1>Activity</h1>
      <CapCard sessions={sessions} chosen={filter.session} />
      <section class="activity-list" aria-label="Spends and decisions">
        <div class="activity-tabs">
          {LISTS.map(([list, name]) => (
            <a
              key={list}
              href={`${ROUTES.activity}${writeFilter({ ...filter, list })}`}
              aria-current={filter.list === list ? 'true' : undefined}
            >
              {name}
            </a>
          ))}
        </div>
        <FilterBar filter={filter} sessions={known} onChange={change} />
        <List
          filter={filter}
          nameOf={nameOf}
          onClear={() => change(readFilter({ list: filter.list }))}
        />
      </section>
    </>
  );
};

type ListProps = {
  readonly filter: ActivityFilter;
  readonly nameOf: (sessionId: string) => string;
  readonly onClear: () => void;
};

const Spends = ({ filter, nameOf, onClear }: ListProps) => {
  const { client } = useOwner();
  const filterNow = () => ({
    session_id: filter.session ?? undefined,
    status: filter.status ?? undefined,
    kind: filter.kind ?? undefined,
    ...timesOf(filter, Date.now()),
  });
  const list = usePagedList(
    writeFilter(filter),
    (owner, signal) => owner.spends(filterNow(), { signal }),
    ({ status }) => status === 'pending',
  );
  return (
    <ListFrame
      list={list}
      what="spends"
      empty={<Empty filter={filter} what="spends" onClear={onClear} />}
      actions={
        <ExportButton
          name="spends"
          read={(signal, onRow) => exportSpends(client.spends(filterNow(), { signal }), onRow)}
        />
      }
    >
      <SpendTable spends={list.items} nameOf={nameOf} />
    </ListFrame>
  );
};

const Decisions = ({ filter, nameOf, onClear }: ListProps) => {
  const { client } = useOwner();
  const filterNow = () => ({
    session_id: filter.session ?? undefined,
    decision: filter.decision ?? undefined,
    ...timesOf(filter, Date.now()),
  });
  const list = usePagedList(
    writeFilter(filter),
    (owner, signal) => owner.audit(filterNow(), { signal }),
    () => false,
  );
  return (
    <ListFrame
      list={list}
      what="decisions"
      empty={<Empty filter={filter} what="decisions" onClear={onClear} />}
      actions={
        <ExportButton
          name="decisions"
          read={(signal, onRow) => exportDecisions(client.audit(filterNow(), { signal }), onRow)}
        />
      }
    >
      <DecisionTable decisions={list.items} nameOf={nameOf} />
    </ListFrame>
  );
};

const Empty = ({
  filter,
  what,
  onClear,
}: Pick<ListProps, 'filter' | 'onClear'> & { readonly what: string }) =>
  isNarrowed(filter) ? (
    <EmptyState
      title={`No ${what} match the filter.`}
      action={<Button onClick={onClear}>Show all {what}</Button>}
    >
      Choose another session or a longer time.
    </EmptyState>
  ) : (
    <EmptyState
      title={`There are no ${what} yet.`}
      action={<a href={ROUTES.sessions}>Go to the sessions</a>}
    >
      Give an agent a session: everything it spends or tries to spend appears here.
    </EmptyState>
  );
