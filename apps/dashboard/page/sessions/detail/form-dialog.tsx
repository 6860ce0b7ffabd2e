import type { OwnerTransaction, Session } from '@agent-wallet/sdk/owner';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/feedback/dialog.tsx';
import { useTransaction } from '../../transactions/transaction-provider.tsx';
import type { Parsed } from '../form/session-form.ts';
import '../form/form.css';

/** What a form of a session's changes is given. */
export type ChangeProps = {
  readonly session: Session;
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
};

/** A dialog with a form whose value becomes a transaction, once it is not refused. */
export const FormDialog = <Value,>({
  title,
  parsed,
  prepare,
  children,
  onChange,
  onClose,
}: {
  readonly title: string;
  readonly parsed: Parsed<Value, string>;
  readonly prepare: (value: Value) => Promise<OwnerTransaction>;
  readonly children: ComponentChildren;
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}) => {
  const id = useId();
  const { run } = useTransaction();
  const submit = () => {
    if (parsed.kind === 'refused') return;
    const { value } = parsed;
    onClose();
    run({ title, prepare: () => prepare(value), onDone: onChange });
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id}>
            Review and sign
          </Button>
        </>
      }
    >
      <form
        id={id}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {children}
      </form>
    </Dialog>
  );
};
