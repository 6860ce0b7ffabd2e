import type { Session } from '@agent-wallet/sdk/owner';
import { useState } from 'preact/hooks';
import { Amount } from '../../design/content/amount.tsx';
import { Card } from '../../design/content/card.tsx';
import { EmptyState } from '../../design/content/empty-state.tsx';
import { SelectField } from '../../design/controls/select-field.tsx';
import { LoadError } from '../../design/feedback/load-error.tsx';
import { Skeleton } from '../../design/feedback/skeleton.tsx';
import type { Loaded } from '../../owner/use-load.ts';
import { sessionName } from '../list/session-names.ts';
import { CapChart } from './cap-chart.tsx';
import { type CapCurve, capCurve } from './cap-curve.ts';
import { CapTable } from './cap-table.tsx';
import { hourText } from './hour-text.ts';
import './cap-card.css';

/**
 * The daily cap of one session: what counts against it now and from when more is available. Of the
 * session that the view is filtered by, or one chosen here.
 */
export const CapCard = ({
  sessions,
  chosen,
}: {
  readonly sessions: Loaded<readonly Session[]>;
  /** The session of the filter; null: all. */
  readonly chosen: string | null;
}) => {
  const [picked, setPicked] = useState<string | null>(null);
  const offered = sessions.value?.filter(
    ({ status, session_id }) => status === 'live' || session_id === chosen,
  );
  const wanted = chosen ?? picked;
  const session =
    offered?.find(({ session_id }) => session_id === wanted) ?? fullest(offered ?? []);
  return (
    <Card
      title="Daily cap"
      actions={
        offered === undefined || offered.length < 2 || session === undefined ? null : (
          <SelectField
            label="Session of the chart"
            value={session.session_id}
            options={offered.map((one) => [one.session_id, sessionName(one)])}
            isDisabled={chosen !== null}
            onChange={setPicked}
          />
        )
      }
    >
      {sessions.kind === 'failed' ? <LoadError loaded={sessions} what="the sessions" /> : null}
      {offered === undefined && sessions.kind === 'loading' ? <Skeleton height="20rem" /> : null}
      {offered?.length === 0 ? (
        <EmptyState title="There is no live session.">
          The chart shows how much of its cap a session has used.
        </EmptyState>
      ) : null}
      {session === undefined ? null : (
        <CapOfSession curve={capCurve(session, Math.floor(Date.now() / 1_000))} />
      )}
    </Card>
  );
};

const CapOfSession = ({ curve }: { readonly curve: CapCurve }) => {
  const [next] = curve.hours;
  return (
    <>
      <dl class="cap-figures">
        <Figure name="Counts now" baseUnits={curve.counted} />
        <Figure name="Room now" baseUnits={curve.remaining} />
        <Figure name="Cap" baseUnits={curve.cap} />
        <div>
          <dt>More is available from</dt>
          <dd data-cap-next={next?.freeAtSeconds}>
            {next === undefined ? 'Nothing counts' : hourText(next.freeAtSeconds)}
          </dd>
        </div>
      </dl>
      <CapChart curve={curve} />
      <p class="soft cap-note">
        The program counts by the hour: an hour with spends counts in full for itself and the 24
        hours after it. Left of now, what counts is drawn at the hour in which it was spent. Right
        of now, it stops counting, if nothing else is spent.
      </p>
      <CapTable curve={curve} />
    </>
  );
};

const Figure = ({ name, baseUnits }: { readonly name: string; readonly baseUnits: bigint }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <Amount baseUnits={baseUnits} />
    </dd>
  </div>
);

/** The session that has used most of its cap; the newest of several. */
function fullest(sessions: readonly Session[]): Session | undefined {
  return sessions.reduce<Session | undefined>(
    (best, session) => (best === undefined || isFuller(session, best) ? session : best),
    undefined,
  );
}

/** Compared as fractions, without rounding. */
const isFuller = (one: Session, other: Session): boolean =>
  one.daily_spent * other.daily_cap > other.daily_spent * one.daily_cap;
