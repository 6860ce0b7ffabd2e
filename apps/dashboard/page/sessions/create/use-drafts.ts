import type { Session } from '@agent-wallet/sdk/owner';
import { useEffect, useState } from 'preact/hooks';
import { useOwner } from '../../owner/owner-context.tsx';
import { dropDraft, readDrafts, type SessionDraft } from './session-drafts.ts';
import { useCreateSession } from './use-create-session.ts';

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/**
 * The sessions that this browser has asked for and that are not signed yet. A draft whose session is
 * on chain is dropped. `onFinished` gets the id of a session that was signed after all.
 */
export function useDrafts(
  sessions: readonly Session[],
  onFinished: (sessionId: string) => void,
): {
  readonly drafts: readonly SessionDraft[];
  readonly finish: (draft: SessionDraft) => void;
  readonly forget: (draft: SessionDraft) => void;
} {
  const { address } = useOwner();
  const create = useCreateSession();
  const [, setChanges] = useState(0);
  const drafts = readDrafts(localStorage, address, nowSeconds());
  const isOver = ({ sessionId }: SessionDraft): boolean =>
    sessions.some(
      ({ session_id, status }) => session_id === sessionId && status !== 'awaiting_owner_signature',
    );
  const over = drafts.filter(isOver);
  useEffect(() => {
    for (const { idempotencyKey } of over) {
      dropDraft(localStorage, address, idempotencyKey, nowSeconds());
    }
  }, [over.length]);
  return {
    drafts: drafts.filter((draft) => !isOver(draft)),
    finish: ({ request, idempotencyKey }) =>
      create(request, {
        idempotencyKey,
        onCreated: ({ sessionId }) => onFinished(sessionId),
      }),
    forget: ({ idempotencyKey }) => {
      dropDraft(localStorage, address, idempotencyKey, nowSeconds());
      setChanges((changes) => changes + 1);
    },
  };
}
