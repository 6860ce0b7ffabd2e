import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { Dialog } from '../design/feedback/dialog.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { SkeletonRows } from '../design/feedback/skeleton.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import type { NextStep } from '../failure/describe-failure.ts';
import { ExplorerLink } from './explorer-link.tsx';
import { TransactionFacts } from './transaction-facts.tsx';
import type { TransactionRequest } from './transaction-provider.tsx';
import { createTransactionRun, type Stage, type TransactionRun } from './transaction-run.ts';
import { TransactionSteps } from './transaction-steps.tsx';
import './transaction-dialog.css';

/** One transaction in words, from its preparation to its confirmation. */
export const TransactionDialog = ({
  request,
  onClose,
}: {
  readonly request: TransactionRequest;
  readonly onClose: () => void;
}) => {
  const [stage, setStage] = useState<Stage>({ kind: 'preparing' });
  const run = useRef<TransactionRun | null>(null);
  useEffect(() => {
    const started = createTransactionRun({
      prepare: request.prepare,
      onStage: (next) => {
        setStage(next);
        if (next.kind === 'confirmed') void request.onDone();
      },
      nowMs: Date.now,
    });
    run.current = started;
    void started.prepare();
    return () => started.leave();
  }, [request]);
  const close = () => {
    onClose();
    if (stage.kind === 'confirmed') request.onClosed?.();
  };
  return (
    <Dialog
      title={request.title}
      onClose={close}
      footer={<Footer stage={stage} run={run.current} request={request} onClose={close} />}
    >
      <Content stage={stage} lostByClosing={request.lostByClosing ?? null} />
    </Dialog>
  );
};

const NEXT: Readonly<Record<Exclude<NextStep, 'close'>, string>> = {
  prepare: 'Prepare again',
  sign: 'Sign again',
  look: 'Look again',
  'sign-in': 'Sign in again',
};

const Footer = ({
  stage,
  run,
  request,
  onClose,
}: {
  readonly stage: Stage;
  readonly run: TransactionRun | null;
  readonly request: TransactionRequest;
  readonly onClose: () => void;
}) => {
  const { expire } = useOwner();
  if (stage.kind === 'confirmed') {
    return (
      <Button key="done" kind="primary" onClick={onClose}>
        {request.doneLabel ?? 'Done'}
      </Button>
    );
  }
  if (stage.kind === 'failed') {
    const { next } = stage.failure;
    const goOn = () => {
      if (next === 'sign-in') expire();
      else if (next === 'look') void run?.look();
      else if (next === 'sign') void run?.sign();
      else void run?.prepare();
    };
    return (
      <>
        <Button onClick={onClose}>Close</Button>
        {next === 'close' ? null : (
          <Button kind="primary" onClick={goOn}>
            {NEXT[next]}
          </Button>
        )}
      </>
    );
  }
  return (
    <>
      <Button onClick={onClose}>{stage.kind === 'sending' ? 'Close' : 'Cancel'}</Button>
      <Button
        kind="primary"
        isDisabled={stage.kind === 'preparing'}
        isBusy={stage.kind === 'signing' || stage.kind === 'sending'}
        onClick={() => void run?.sign()}
      >
        Sign and send
      </Button>
    </>
  );
};

const Content = ({
  stage,
  lostByClosing,
}: {
  readonly stage: Stage;
  readonly lostByClosing: string | null;
}) => {
  switch (stage.kind) {
    case 'preparing':
      return <SkeletonRows count={3} />;
    case 'shown':
      return <TransactionFacts words={stage.words} />;
    case 'signing':
      return (
        <>
          <TransactionFacts words={stage.words} />
          <TransactionSteps done={0} />
        </>
      );
    case 'sending':
      return (
        <>
          <TransactionFacts words={stage.words} />
          <TransactionSteps done={1} />
          <p class="soft">
            If you close this, the transaction may still take effect, and this page no longer sends
            it again.{lostByClosing === null ? null : ` ${lostByClosing}`}
          </p>
        </>
      );
    case 'confirmed':
      return (
        <>
          <Notice kind="positive" title="Confirmed">
            {stage.words.sentences.length === 1
              ? 'It has taken effect.'
              : 'They have taken effect.'}{' '}
            <ExplorerLink kind="tx" id={stage.signature}>
              Look at the transaction
            </ExplorerLink>
          </Notice>
          <TransactionSteps done={3} />
        </>
      );
    case 'failed':
      return <FailedContent stage={stage} />;
  }
};

const FailedContent = ({ stage }: { readonly stage: Stage & { readonly kind: 'failed' } }) => {
  const { failure, words, signature } = stage;
  return (
    <>
      <Notice kind={failure.next === 'look' ? 'warning' : 'danger'} title={failure.title}>
        {failure.text}{' '}
        {signature === null ? null : (
          <ExplorerLink kind="tx" id={signature}>
            Look at the transaction
          </ExplorerLink>
        )}
      </Notice>
      {failure.detail === null ? null : (
        <details class="transaction-detail">
          <summary>Technical detail</summary>
          <code>{failure.detail}</code>
        </details>
      )}
      {words === null ? null : <TransactionFacts words={words} />}
    </>
  );
};
