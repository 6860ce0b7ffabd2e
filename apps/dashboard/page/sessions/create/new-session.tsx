import { useState } from 'preact/hooks';
import { Card } from '../../design/content/card.tsx';
import { ViewHeader } from '../../shell/view-header.tsx';
import { Button, ButtonLink } from '../../design/controls/button.tsx';

import { Notice } from '../../design/feedback/notice.tsx';
import { useSettings } from '../../owner/deployment.tsx';
import { useVault } from '../../owner/vault-context.tsx';
import { ROUTES } from '../../routes.ts';
import { LimitFields } from '../form/limit-fields.tsx';
import { RecipientsField } from '../form/recipients-field.tsx';
import {
  expiryHint,
  parseLimits,
  parseRecipients,
  type SessionForm,
} from '../form/session-form.ts';
import { useForbidden } from '../form/use-forbidden.ts';
import { NewKeyDialog } from '../key/new-key-dialog.tsx';
import { ShownKey } from '../key/shown-key.tsx';
import { recipientToPay, type SnippetSession } from '../key/snippets.ts';
import { WorstCase } from '../list/worst-case.tsx';
import { sessionPath } from '../list/session-words.ts';
import { useCreateSession } from './use-create-session.ts';
import './new-session.css';

const EMPTY: SessionForm = {
  maxPerTx: '',
  dailyCap: '',
  lasts: '30',
  unit: 'days',
  actions: ['transfer'],
};

type Shown = { readonly sessionId: string; readonly snippet: SnippetSession | null };

/** The limits of a new session, and its key once it is on chain. */
export const NewSession = () => {
  const [shown, setShown] = useState<Shown | null>(null);
  return shown === null ? <NewSessionForm onCreated={setShown} /> : <CreatedSession {...shown} />;
};

const NewSessionForm = ({ onCreated }: { readonly onCreated: (shown: Shown) => void }) => {
  const { wallet } = useVault();
  const { apiUrl } = useSettings();
  const create = useCreateSession();
  const [form, setForm] = useState(EMPTY);
  const [text, setText] = useState('');
  const [isTried, setTried] = useState(false);
  const limits = parseLimits(form, { now: Math.floor(Date.now() / 1_000) });
  const recipients = parseRecipients(text, useForbidden());
  const listed = recipients.kind === 'accepted' ? recipients.value : [];

  const submit = () => {
    setTried(true);
    if (limits.kind === 'refused' || recipients.kind === 'refused') return;
    const request = {
      ...limits.value,
      wallet_id: wallet.wallet_id,
      allowed_recipients: recipients.value,
    };
    create(request, {
      onCreated: ({ sessionId, apiKey }) => {
        const recipient = recipientToPay(request);
        const snippet =
          apiKey === null ? null : { apiUrl, apiKey, maxPerTx: request.max_per_tx, recipient };
        onCreated({ sessionId, snippet });
      },
    });
  };
  return (
    <>
      <ViewHeader title="New session">
        What one agent may spend. The chain enforces these limits, whatever the agent does.
      </ViewHeader>
      <form
        class="new-session"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Card title="Limits">
          <div class="form">
            <LimitFields
              form={form}
              errors={isTried && limits.kind === 'refused' ? limits.errors : {}}
              hint={expiryHint(limits)}
              onChange={(change) => setForm((last) => ({ ...last, ...change }))}
            />
            <RecipientsField
              text={text}
              error={recipients.kind === 'refused' ? recipients.errors.recipients : undefined}
              recipients={listed}
              onChange={setText}
            />
          </div>
        </Card>
        <aside class="new-session-side">
          <Card title="At worst">
            <p class="soft">What this agent, or a thief with its key, could spend in USDC.</p>
            <WorstCase
              session={
                limits.kind === 'refused' ? null : { ...limits.value, allowed_recipients: listed }
              }
            />
            {listed.length === 0 ? (
              <p class="soft">Nothing, as long as it has no recipients.</p>
            ) : null}
          </Card>
          <div class="new-session-buttons">
            <Button kind="primary" type="submit">
              Review and sign
            </Button>
            <ButtonLink href={ROUTES.sessions}>Cancel</ButtonLink>
          </div>
        </aside>
      </form>
    </>
  );
};

const CreatedSession = ({ sessionId, snippet }: Shown) => {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <ViewHeader title="The session is live" />
      {snippet === null ? (
        <Notice
          kind="warning"
          title="The key was returned to a page that is gone."
          action={<Button onClick={() => setAsking(true)}>Create a new key</Button>}
        >
          Nobody can read it again. A new key takes its place.
        </Notice>
      ) : (
        <Card title="Give this key to your agent">
          <ShownKey session={snippet} />
        </Card>
      )}
      <div>
        <ButtonLink kind={snippet === null ? 'secondary' : 'primary'} href={sessionPath(sessionId)}>
          {snippet === null ? 'Open the session' : 'I have copied the key'}
        </ButtonLink>
      </div>
      {isAsking ? <NewKeyDialog sessionId={sessionId} onClose={() => setAsking(false)} /> : null}
    </>
  );
};
