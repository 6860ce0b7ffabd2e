import type { CreatedWebhook } from '@agent-wallet/sdk/owner';
import { useState } from 'preact/hooks';
import { EmptyState } from '../design/content/empty-state.tsx';
import { Button } from '../design/controls/button.tsx';
import { LoadError } from '../design/feedback/load-error.tsx';
import { SkeletonRows } from '../design/feedback/skeleton.tsx';
import { useLoad } from '../owner/use-load.ts';
import { AddWebhook } from './add-webhook.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookCard } from './webhook-card.tsx';
import './webhooks.css';

/** The API takes no more for one wallet. */
const MAX_WEBHOOKS = 5;

/** URLs of the owner that get signed events. */
export const Webhooks = () => {
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const loaded = useLoad('webhooks', (client, signal) => client.webhooks.list({ signal }));
  const { kind, value, refresh } = loaded;
  const onCreated = async (created: CreatedWebhook) => {
    setAdding(false);
    setSecret(created.secret);
    await refresh();
  };
  const add = (
    <Button
      kind="primary"
      isDisabled={value === undefined || value.length >= MAX_WEBHOOKS}
      onClick={() => setAdding(true)}
    >
      Add a webhook
    </Button>
  );
  return (
    <>
      <header class="webhooks-head">
        <div>
          <h1>Webhooks</h1>
          <p class="soft">
            The service sends signed events to URLs of yours, in the form of Standard Webhooks, and
            tries again while a receiver is down.
          </p>
        </div>
        {value === undefined || value.length === 0 ? null : add}
      </header>
      {kind === 'failed' ? <LoadError loaded={loaded} what="the webhooks" /> : null}
      {value === undefined && kind === 'loading' ? <SkeletonRows count={2} height="9rem" /> : null}
      {value?.length === 0 ? (
        <EmptyState title="There is no webhook yet." action={add}>
          With one, your own systems learn of spends, refusals and a low balance as they happen.
        </EmptyState>
      ) : null}
      {value?.map((webhook) => (
        <WebhookCard
          key={webhook.webhook_id}
          webhook={webhook}
          onChanged={refresh}
          onSecret={setSecret}
        />
      ))}
      {isAdding ? <AddWebhook onCreated={onCreated} onClose={() => setAdding(false)} /> : null}
      {secret === null ? null : <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
};
