import type { Webhook } from '@agent-wallet/sdk/owner';
import { Button } from '../design/controls/button.tsx';
import { Dialog } from '../design/feedback/dialog.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { ActionError } from './action-error.tsx';
import { useAction } from './use-action.ts';

/** Asks before a webhook and its log are deleted. */
export const DeleteWebhook = ({
  webhook,
  onDeleted,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onDeleted: () => Promise<void>;
  readonly onClose: () => void;
}) => {
  const { client } = useOwner();
  const { isBusy, error, start } = useAction();
  return (
    <Dialog
      title="Delete the webhook"
      {...(isBusy ? {} : { onClose })}
      footer={
        <>
          <Button isDisabled={isBusy} onClick={onClose}>
            Keep it
          </Button>
          <Button
            kind="danger"
            isBusy={isBusy}
            onClick={() =>
              void start(async () => {
                await client.webhooks.delete(webhook.webhook_id);
                onClose();
                await onDeleted();
              })
            }
          >
            Delete
          </Button>
        </>
      }
    >
      <ActionError error={error} />
      <p>
        <code>{webhook.url}</code> gets no more events, and the log of its deliveries is deleted.
      </p>
    </Dialog>
  );
};
