import type { Session } from '@agent-wallet/sdk/owner';
import { sessionName } from '../activity/list/session-names.ts';
import { Amount } from '../design/content/amount.tsx';
import { Card } from '../design/content/card.tsx';
import { EmptyState } from '../design/content/empty-state.tsx';
import { Meter } from '../design/content/meter.tsx';
import { type Column, Table } from '../design/content/table.tsx';
import { Time } from '../design/content/time.tsx';
import { ButtonLink } from '../design/controls/button.tsx';
import { LoadError } from '../design/feedback/load-error.tsx';
import { SkeletonRows } from '../design/feedback/skeleton.tsx';
import { useLoad } from '../owner/use-load.ts';
import { ROUTES } from '../routes.ts';
import { sessionPath } from '../sessions/list/session-words.ts';

const REFRESH_MS = 15_000;
const SHOWN = 5;
const MS = 1_000;

const COLUMNS: readonly Column<Session>[] = [
  {
    heading: 'Key',
    cell: (session) => (
      <a class="mono" href={sessionPath(session.session_id)}>
        {sessionName(session)}
      </a>
    ),
  },
  {
    heading: 'Spent of the daily cap',
    cell: ({ daily_spent, daily_cap }) => <Meter used={daily_spent} of={daily_cap} />,
  },
  {
    heading: 'Spent',
    cell: ({ daily_spent }) => <Amount baseUnits={daily_spent} />,
    isNumeric: true,
  },
  {
    heading: 'Daily cap',
    cell: ({ daily_cap }) => <Amount baseUnits={daily_cap} />,
    isNumeric: true,
  },
  { heading: 'Expires', cell: ({ expiry }) => <Time at={new Date(expiry * MS)} /> },
];

/** The live sessions, newest first. */
export const SessionsAtAGlance = () => {
  const loaded = useLoad('sessions', (client, signal) => client.sessions({ signal }), {
    everyMs: REFRESH_MS,
  });
  const live = loaded.value?.filter(({ status }) => status === 'live');
  return (
    <Card title="Live sessions" actions={<a href={ROUTES.sessions}>All sessions</a>}>
      {live === undefined ? (
        loaded.kind === 'failed' ? (
          <LoadError loaded={loaded} what="the sessions" />
        ) : (
          <SkeletonRows count={3} />
        )
      ) : live.length === 0 ? (
        <EmptyState
          title="No agent can spend yet."
          action={<ButtonLink href={ROUTES.newSession}>New session</ButtonLink>}
        >
          A session gives one agent a key with its own limits: the amount per payment and per 24
          hours, the recipients, and the expiry.
        </EmptyState>
      ) : (
        <Table
          caption="Live sessions"
          columns={COLUMNS}
          rows={live.slice(0, SHOWN)}
          keyOf={({ session_id }) => session_id}
        />
      )}
    </Card>
  );
};
