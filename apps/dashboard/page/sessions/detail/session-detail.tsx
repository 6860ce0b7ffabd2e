import { isAgentWalletError, type Session } from '@agent-wallet/sdk/owner';
import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { sessionName } from '../../activity/list/session-names.ts';
import { EmptyState } from '../../design/content/empty-state.tsx';
import { StatusBadge } from '../../design/content/status-badge.tsx';
import { ViewHeader } from '../../shell/view-header.tsx';
import { Button } from '../../design/controls/button.tsx';
import { LoadError } from '../../design/feedback/load-error.tsx';
import { Notice } from '../../design/feedback/notice.tsx';
import { SkeletonRows } from '../../design/feedback/skeleton.tsx';
import { useOwner } from '../../owner/owner-context.tsx';
import { useLoad } from '../../owner/use-load.ts';
import { ROUTES } from '../../routes.ts';
import { useTransaction } from '../../transactions/transaction-provider.tsx';
import { NewKeyDialog } from '../key/new-key-dialog.tsx';
import { STATUS_WORDS } from '../list/session-words.ts';
import { ChangeLimits } from './change-limits.tsx';
import { ChangeRecipients } from './change-recipients.tsx';
import { SessionCards } from './session-cards.tsx';
import './session-detail.css';

const REFRESH_MS = 4_000;

/** One session: what it has spent and could spend, its limits, and how to change or end it. */
export const SessionDetail = () => {
  const { id = '' } = useRoute().params;
  const loaded = useLoad(`session ${id}`, (client, signal) => client.session(id, { signal }), {
    everyMs: REFRESH_MS,
  });
  const { value, error } = loaded;
  if (isAgentWalletError(error, 'SESSION_NOT_FOUND')) {
    return (
      <EmptyState title="There is no such session" action={<BackLink />}>
        It may belong to another owner.
      </EmptyState>
    );
  }
  return (
    <>
      <p>
        <BackLink />
      </p>
      {loaded.kind === 'failed' ? <LoadError loaded={loaded} what="the session" /> : null}
      {value === undefined && loaded.kind === 'loading' ? (
        <SkeletonRows count={3} height="8rem" />
      ) : null}
      {value === undefined ? null : <Detail session={value} onChange={loaded.refresh} />}
    </>
  );
};

const BackLink = () => <a href={ROUTES.sessions}>All sessions</a>;

type Opened = 'key' | 'limits' | 'recipients';

const Detail = ({
  session,
  onChange,
}: {
  readonly session: Session;
  readonly onChange: () => Promise<void>;
}) => {
  const { client } = useOwner();
  const { run } = useTransaction();
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  const { label, kind } = STATUS_WORDS[session.status];
  const isOnChain = session.status === 'live' || session.status === 'expired';
  return (
    <>
      <ViewHeader
        title={
          <span class="session-title">
            <span class="mono">{sessionName(session)}</span>
            <StatusBadge kind={kind}>{label}</StatusBadge>
          </span>
        }
        actions={
          isOnChain ? (
            <>
              <Button onClick={() => setOpened('limits')}>Change limits</Button>
              <Button onClick={() => setOpened('recipients')}>Change recipients</Button>
              <Button onClick={() => setOpened('key')}>New key</Button>
              <Button
                kind="danger"
                onClick={() =>
                  run({
                    title: 'Revoke the session',
                    prepare: () => client.revoke(session),
                    onDone: onChange,
                  })
                }
              >
                Revoke
              </Button>
            </>
          ) : undefined
        }
      />
      {session.status === 'awaiting_owner_signature' ? (
        <Notice
          kind="warning"
          title="This session is not on chain yet."
          action={<a href={ROUTES.sessions}>Sign it in the list of sessions</a>}
        >
          Its key can spend nothing before you have signed it.
        </Notice>
      ) : null}
      <SessionCards session={session} />
      {opened === 'key' ? (
        <NewKeyDialog
          sessionId={session.session_id}
          onClose={() => {
            close();
            void onChange();
          }}
        />
      ) : null}
      {opened === 'limits' ? (
        <ChangeLimits session={session} onChange={onChange} onClose={close} />
      ) : null}
      {opened === 'recipients' ? (
        <ChangeRecipients session={session} onChange={onChange} onClose={close} />
      ) : null}
    </>
  );
};
