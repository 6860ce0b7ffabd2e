import { Button } from '../design/controls/button.tsx';
import { Copyable } from '../design/controls/copyable.tsx';
import { Dialog } from '../design/feedback/dialog.tsx';
import { Notice } from '../design/feedback/notice.tsx';

/** The secret of a webhook, this once. Escape does not close it: the secret would be lost. */
export const SecretDialog = ({
  secret,
  onClose,
}: {
  readonly secret: string;
  readonly onClose: () => void;
}) => (
  <Dialog
    title="The secret of the webhook"
    footer={
      <Button kind="primary" onClick={onClose}>
        I have stored it
      </Button>
    }
  >
    <Notice kind="warning" title="It is shown this once.">
      Your receiver verifies the signatures with it. If it is lost, rotate it.
    </Notice>
    <Copyable value={secret} name="the secret" />
  </Dialog>
);
