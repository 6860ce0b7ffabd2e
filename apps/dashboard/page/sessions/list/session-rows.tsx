import type { Session } from '@agent-wallet/sdk/owner';
import type { ComponentChildren } from 'preact';
import { sessionName } from '../../activity/list/session-names.ts';
import { amountText } from '../../design/content/amount-text.ts';
import { StatusBadge } from '../../design/content/status-badge.tsx';
import { momentText } from '../../transactions/moment-text.ts';
import { recipientsText, sessionPath, STATUS_WORDS } from './session-words.ts';
import { SpentBar } from './spent-bar.tsx';
import { WorstCase } from './worst-case.tsx';
import './session-rows.css';

/** Sessions under one heading, or nothing. */
export const SessionRows = ({
  title,
  sessions,
  actionOf,
}: {
  readonly title: string;
  readonly sessions: readonly Session[];
  /** In place of the numbers. */
  readonly actionOf?: (session: Session) => ComponentChildren;
}) =>
  sessions.length === 0 ? null : (
    <section class="session-section" aria-label={title}>
      <h2>
        {title} <span class="soft">{sessions.length}</span>
      </h2>
      <ul class="session-rows">
        {sessions.map((session) => (
          <li key={session.session_id}>
            <Row session={session} action={actionOf?.(session)} />
          </li>
        ))}
      </ul>
    </section>
  );

const Row = ({
  session,
  action,
}: {
  readonly session: Session;
  readonly action: ComponentChildren;
}) => {
  const { label, kind } = STATUS_WORDS[session.status];
  const ends = session.status === 'expired' ? 'Expired' : 'Expires';
  return (
    <article class="session-row">
      <div class="session-row-name">
        <a class="mono" href={sessionPath(session.session_id)}>
          {sessionName(session)}
        </a>
        <StatusBadge kind={kind}>{label}</StatusBadge>
        <p class="soft">
          {session.status === 'revoked'
            ? 'Closed on chain'
            : `${ends} ${momentText(session.expiry)}`}
        </p>
      </div>
      <div class="session-row-spent">
        <SpentBar spent={session.daily_spent} cap={session.daily_cap} />
        <p class="soft">
          At most {amountText(session.max_per_tx)} per payment ·{' '}
          {recipientsText(session.allowed_recipients.length)}
        </p>
      </div>
      {action ??
        (session.status === 'live' ? (
          <div class="session-row-worst">
            <h3>Could spend at worst, in USDC</h3>
            <WorstCase session={session} />
          </div>
        ) : null)}
    </article>
  );
};
