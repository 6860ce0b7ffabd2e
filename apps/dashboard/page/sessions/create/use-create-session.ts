import type { SessionRequest } from '@agent-wallet/sdk/owner';
import { useCallback } from 'preact/hooks';
import { useOwner } from '../../owner/owner-context.tsx';
import { useTransaction } from '../../transactions/transaction-provider.tsx';
import { dropDraft, keepDraft } from './session-drafts.ts';

type Created = {
  readonly sessionId: string;
  /** Null when it was returned before, to a page that is gone. */
  readonly apiKey: string | null;
};

type Options = {
  /** Of an earlier request, to get its session again. */
  readonly idempotencyKey?: string;
  /** Called once the session is on chain and the owner has seen it. */
  readonly onCreated: (created: Created) => void;
};

/** Asks for a session and has the owner sign it; keeps a draft until it is on chain. */
export function useCreateSession(): (request: SessionRequest, options: Options) => void {
  const { address, client } = useOwner();
  const { run } = useTransaction();
  return useCallback(
    (request, { idempotencyKey = crypto.randomUUID(), onCreated }) => {
      const now = () => Math.floor(Date.now() / 1_000);
      const keep = (sessionId: string | null) =>
        keepDraft(localStorage, address, { idempotencyKey, request, sessionId }, now());
      let created: Created | null = null;
      run({
        title: 'Create a session',
        doneLabel: 'Show the key',
        lostByClosing:
          'The key of the session is not shown then: create a new key on the session’s page.',
        prepare: async () => {
          if (created === null) keep(null);
          const reply = await client.createSession(request, { idempotencyKey });
          // A repetition returns no key: that of the first reply stays.
          created = { sessionId: reply.session_id, apiKey: created?.apiKey ?? reply.api_key };
          keep(reply.session_id);
          if (reply.transaction === null) throw new Error('The session is on chain already.');
          return reply.transaction;
        },
        onDone: () => dropDraft(localStorage, address, idempotencyKey, now()),
        onClosed: () => {
          if (created !== null) onCreated(created);
        },
      });
    },
    [address, client, run],
  );
}
