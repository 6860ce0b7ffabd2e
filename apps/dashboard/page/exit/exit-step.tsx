import type { OwnerTransaction } from '@agent-wallet/sdk/owner';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { StatusBadge } from '../design/content/status-badge.tsx';
import { Button } from '../design/controls/button.tsx';
import { useTransaction } from '../transactions/transaction-provider.tsx';

/** One transaction of the way out; done when there is nothing left to do. */
export const ExitStep = ({
  title,
  action,
  state,
  isDone,
  prepare,
  onDone,
}: {
  readonly title: string;
  /** The word on its button. */
  readonly action: string;
  /** What the chain says now. */
  readonly state: ComponentChildren;
  readonly isDone: boolean;
  /** Null while there is nothing that this step could do. */
  readonly prepare: (() => Promise<OwnerTransaction>) | null;
  readonly onDone: () => Promise<void>;
}) => {
  const { run } = useTransaction();
  const id = useId();
  return (
    <li aria-labelledby={id}>
      <div class="exit-step-text">
        <h2 id={id}>{title}</h2>
        <p class="soft">{state}</p>
      </div>
      {isDone ? (
        <StatusBadge kind="positive">Done</StatusBadge>
      ) : prepare === null ? null : (
        <Button onClick={() => run({ title, prepare, onDone })}>{action}</Button>
      )}
    </li>
  );
};
