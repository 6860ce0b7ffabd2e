import type { Session } from '@agent-wallet/sdk/owner';
import { useState } from 'preact/hooks';
import { EmptyState } from '../../design/content/empty-state.tsx';
import { ViewHeader } from '../../shell/view-header.tsx';
import { Button, ButtonLink } from '../../design/controls/button.tsx';

import { LoadError } from '../../design/feedback/load-error.tsx';
import { Notice } from '../../design/feedback/notice.tsx';
import { SkeletonRows } from '../../design/feedback/skeleton.tsx';
import { useLoad } from '../../owner/use-load.ts';
import { useVault } from '../../owner/vault-context.tsx';
import { ROUTES } from '../../routes.ts';
import type { SessionDraft } from '../create/session-drafts.ts';
import { useDrafts } from '../create/use-drafts.ts';
import { NewKeyDialog } from '../key/new-key-dialog.tsx';
import { SessionRows } from './session-rows.tsx';

const REFRESH_MS = 5_000;

/** All sessions of the owner: those that can spend, those to be signed, those that are over. */
export const Sessions = () => {
  const { wallet } = useVault();
  const loaded = useLoad('sessions', (client, signal) => client.sessions({ signal }), {
    everyMs: REFRESH_MS,
  });
  const { value } = loaded;
  return (
    <>
      <ViewHeader
        title="Sessions"
        actions={
          <ButtonLink kind="primary" href={ROUTES.newSession}>
            New session
          </ButtonLink>
        }
      >
        Each session gives one agent a key and limits that the chain enforces.
      </ViewHeader>
      {wallet.paused ? (
        <Notice kind="warning" title="The vault is paused.">
          No session can spend until you resume it.
        </Notice>
      ) : null}
      {loaded.kind === 'failed' ? <LoadError loaded={loaded} what="the sessions" /> : null}
      {value === undefined && loaded.kind === 'loading' ? (
        <SkeletonRows count={3} height="7rem" />
      ) : null}
      {value === undefined ? null : <Lists sessions={value} onChange={loaded.refresh} />}
    </>
  );
};

const Lists = ({
  sessions,
  onChange,
}: {
  readonly sessions: readonly Session[];
  readonly onChange: () => Promise<void>;
}) => {
  const [finished, setFinished] = useState<Session['session_id'] | null>(null);
  const { drafts, finish, forget } = useDrafts(sessions, (sessionId) => {
    setFinished(sessionId);
    void onChange();
  });
  const withStatus = (...statuses: readonly Session['status'][]) =>
    sessions.filter(({ status }) => statuses.includes(status));
  const unanswered = drafts.filter(({ sessionId }) => sessionId === null);
  const draftOf = ({ session_id }: Session): SessionDraft | undefined =>
    drafts.find(({ sessionId }) => sessionId === session_id);
  return (
    <>
      {sessions.length === 0 && unanswered.length === 0 ? (
        <EmptyState title="No agent can spend yet">
          Create a session: you choose how much, to whom and until when, and get a key for the
          agent.
        </EmptyState>
      ) : null}
      {unanswered.map((draft) => (
        <Notice
          key={draft.idempotencyKey}
          kind="warning"
          title="A session was requested, and the reply was lost"
          action={
            <>
              <Button onClick={() => forget(draft)}>Discard</Button>
              <Button onClick={() => finish(draft)}>Continue</Button>
            </>
          }
        >
          Continue where you were: the same request never creates a second session.
        </Notice>
      ))}
      <SessionRows
        title="To be signed"
        sessions={withStatus('awaiting_owner_signature')}
        actionOf={(session) => <Unsigned draft={draftOf(session)} onFinish={finish} />}
      />
      <SessionRows title="Live" sessions={withStatus('live')} />
      <SessionRows title="Ended" sessions={withStatus('expired', 'revoked')} />
      {finished === null ? null : (
        <NewKeyDialog
          sessionId={finished}
          reason="The key of this session was returned before the page was reloaded, and nobody can read it again."
          onClose={() => setFinished(null)}
        />
      )}
    </>
  );
};

const Unsigned = ({
  draft,
  onFinish,
}: {
  readonly draft: SessionDraft | undefined;
  readonly onFinish: (draft: SessionDraft) => void;
}) =>
  draft === undefined ? (
    <p class="soft">
      Its request is not in this browser. Create a new session instead: this one can spend nothing.
    </p>
  ) : (
    <div>
      <Button onClick={() => onFinish(draft)}>Sign it now</Button>
    </div>
  );
