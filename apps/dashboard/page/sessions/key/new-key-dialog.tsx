import type { Session } from '@agent-wallet/sdk/owner';
import { useState } from 'preact/hooks';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/feedback/dialog.tsx';
import { Notice } from '../../design/feedback/notice.tsx';
import { useSettings } from '../../owner/deployment.tsx';
import { describeError } from '../../failure/describe-error.ts';
import { useOwner } from '../../owner/owner-context.tsx';
import { ShownKey } from './shown-key.tsx';
import { recipientToPay } from './snippets.ts';

type State =
  | { readonly kind: 'asked' | 'busy' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'shown'; readonly apiKey: string; readonly session: Session };

/** Replaces the key of a session, after a confirmation, and shows the new one. */
export const NewKeyDialog = ({
  sessionId,
  reason,
  onClose,
}: {
  readonly sessionId: string;
  /** Why a new key is needed, in a sentence. */
  readonly reason?: string;
  readonly onClose: () => void;
}) => {
  const { client } = useOwner();
  const { apiUrl } = useSettings();
  const [state, setState] = useState<State>({ kind: 'asked' });
  const rotate = async () => {
    setState({ kind: 'busy' });
    try {
      const session = await client.session(sessionId);
      const { api_key } = await client.rotateKey(sessionId);
      setState({ kind: 'shown', apiKey: api_key, session });
    } catch (error) {
      setState({ kind: 'failed', error });
    }
  };
  if (state.kind === 'shown') {
    const { apiKey, session } = state;
    return (
      // Without onClose: Escape must not lose the key.
      <Dialog
        key="shown"
        title="The new key"
        footer={
          <Button kind="primary" onClick={onClose}>
            I have copied the key
          </Button>
        }
      >
        <ShownKey
          session={{
            apiUrl,
            apiKey,
            maxPerTx: session.max_per_tx,
            recipient: recipientToPay(session),
          }}
        />
      </Dialog>
    );
  }
  return (
    <Dialog
      key="asked"
      title="Create a new key?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" isBusy={state.kind === 'busy'} onClick={() => void rotate()}>
            Create a new key
          </Button>
        </>
      }
    >
      {reason === undefined ? null : <p>{reason}</p>}
      <p>The old key stops working at once. Limits and recipients stay as they are.</p>
      {state.kind === 'failed' ? (
        <Notice kind="danger" title={describeError(state.error).title}>
          {describeError(state.error).remedy}
        </Notice>
      ) : null}
    </Dialog>
  );
};
