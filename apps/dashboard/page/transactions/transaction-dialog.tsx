import type { OwnerTransaction } from '@agent-wallet/sdk/owner';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { Dialog } from '../design/feedback/dialog.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { SkeletonRows } from '../design/feedback/skeleton.tsx';
import { describeError } from '../owner/describe-error.ts';
import type { TransactionRequest } from './transaction-provider.tsx';

type Stage =
  | { readonly kind: 'preparing' }
  | { readonly kind: 'shown' | 'signing'; readonly transaction: OwnerTransaction }
  | { readonly kind: 'failed'; readonly error: unknown };

/** One transaction, from its preparation to its confirmation. */
export const TransactionDialog = ({
  request,
  onClose,
}: {
  readonly request: TransactionRequest;
  readonly onClose: () => void;
}) => {
  const [stage, setStage] = useState<Stage>({ kind: 'preparing' });
  const prepare = useCallback(async () => {
    setStage({ kind: 'preparing' });
    try {
      setStage({ kind: 'shown', transaction: await request.prepare() });
    } catch (error) {
      setStage({ kind: 'failed', error });
    }
  }, [request]);
  useEffect(() => void prepare(), [prepare]);

  const send = async (transaction: OwnerTransaction) => {
    setStage({ kind: 'signing', transaction });
    try {
      await transaction.sendAndConfirm();
      await request.onDone();
      onClose();
    } catch (error) {
      setStage({ kind: 'failed', error });
    }
  };
  const isBusy = stage.kind === 'signing';
  return (
    <Dialog
      title={request.title}
      {...(isBusy ? {} : { onClose })}
      footer={
        <>
          <Button isDisabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          {stage.kind === 'failed' ? (
            <Button kind="primary" onClick={() => void prepare()}>
              Try again
            </Button>
          ) : (
            <Button
              kind="primary"
              isDisabled={stage.kind === 'preparing'}
              isBusy={isBusy}
              onClick={() => 'transaction' in stage && void send(stage.transaction)}
            >
              Sign and send
            </Button>
          )}
        </>
      }
    >
      <Content stage={stage} />
    </Dialog>
  );
};

const Content = ({ stage }: { readonly stage: Stage }) => {
  if (stage.kind === 'preparing') return <SkeletonRows count={2} />;
  if (stage.kind === 'failed') {
    const { title, remedy } = describeError(stage.error);
    return (
      <Notice kind="danger" title={title}>
        {remedy}
      </Notice>
    );
  }
  return (
    <ul>
      {stage.transaction.instructions.map(({ name }) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
};
