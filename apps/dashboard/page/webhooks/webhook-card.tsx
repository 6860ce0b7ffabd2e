import type { Webhook } from '@agent-wallet/sdk/owner';
import { useState } from 'preact/hooks';
import { amountText } from '../design/content/amount-text.ts';
import { Card } from '../design/content/card.tsx';
import { StatusBadge } from '../design/content/status-badge.tsx';
import { exactTime } from '../design/content/time.tsx';
import { Button } from '../design/controls/button.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { ActionError } from './action-error.tsx';
import { DeleteWebhook } from './delete-webhook.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { EVENT_NAMES } from './event-names.ts';
import { useAction } from './use-action.ts';

const DISABLED_WHY = {
  owner: 'You have switched it off.',
  gone: 'The receiver has answered that it is gone (410).',
  failing: 'Nothing could be delivered for five days.',
} as const;

/** One webhook: what it gets, what came of it, and what can be done with it. */
export const WebhookCard = ({
  webhook,
  onChanged,
  onSecret,
}: {
  readonly webhook: Webhook;
  readonly onChanged: () => Promise<void>;
  /** A new secret to show. */
  readonly onSecret: (secret: string) => void;
}) => {
  const { client } = useOwner();
  const { isBusy, error, start } = useAction();
  const [isDeleting, setDeleting] = useState(false);
  /** Counts the tests, so that the log is read again after each. */
  const [tests, setTests] = useState(0);
  const { webhook_id: id, enabled, disabled_why, failing_since } = webhook;
  return (
    <Card
      title={webhook.url.replace(/^https:\/\//, '')}
      actions={
        enabled ? (
          <StatusBadge kind={failing_since === null ? 'positive' : 'warning'}>
            {failing_since === null ? 'On' : 'Failing'}
          </StatusBadge>
        ) : (
          <StatusBadge kind="neutral">Off</StatusBadge>
        )
      }
    >
      {disabled_why === null ? null : <p class="soft">{DISABLED_WHY[disabled_why]}</p>}
      {enabled && failing_since !== null ? (
        <Notice kind="warning" title="The receiver does not accept events.">
          Nothing was delivered since {exactTime(new Date(failing_since))}. After five days the
          webhook is switched off.
        </Notice>
      ) : null}
      <ul class="webhook-chosen">
        {webhook.events.map((event) => (
          <li key={event}>
            {EVENT_NAMES[event]}
            {event === 'wallet.low_balance' && webhook.low_balance_below !== null
              ? `: below ${amountText(webhook.low_balance_below)} USDC`
              : ''}
          </li>
        ))}
      </ul>
      {webhook.old_secret_ends_at === null ? null : (
        <p class="soft">
          The secret before the last rotation signs as well until{' '}
          {exactTime(new Date(webhook.old_secret_ends_at))}.
        </p>
      )}
      <div class="webhook-actions">
        <Button
          isDisabled={!enabled}
          isBusy={isBusy}
          onClick={() =>
            void start(async () => {
              await client.webhooks.test(id);
              setTests((count) => count + 1);
            })
          }
        >
          Send a test
        </Button>
        <Button
          isDisabled={isBusy}
          onClick={() =>
            void start(async () => {
              await client.webhooks.change(id, { enabled: !enabled });
              await onChanged();
            })
          }
        >
          {enabled ? 'Switch off' : 'Switch on'}
        </Button>
        <Button
          isDisabled={isBusy}
          onClick={() =>
            void start(async () => {
              onSecret((await client.webhooks.rotateSecret(id)).secret);
              await onChanged();
            })
          }
        >
          Rotate the secret
        </Button>
        <Button kind="quiet" isDisabled={isBusy} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      <ActionError error={error} />
      <DeliveryLog key={tests} webhookId={id} />
      {isDeleting ? (
        <DeleteWebhook webhook={webhook} onDeleted={onChanged} onClose={() => setDeleting(false)} />
      ) : null}
    </Card>
  );
};
