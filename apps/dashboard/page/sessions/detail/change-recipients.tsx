import type { Session } from '@agent-wallet/sdk/owner';
import { useState } from 'preact/hooks';
import { useOwner } from '../../owner/owner-context.tsx';
import { useTransaction } from '../../transactions/transaction-provider.tsx';
import { RecipientsField } from '../form/recipients-field.tsx';
import { parseRecipients } from '../form/session-form.ts';
import { useForbidden } from '../form/use-forbidden.ts';
import { FormDialog } from './form-dialog.tsx';

/** The recipients of a session, to be replaced. */
export const ChangeRecipients = ({
  session,
  onChange,
  onClose,
}: {
  readonly session: Session;
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}) => {
  const { client } = useOwner();
  const { run } = useTransaction();
  const [text, setText] = useState(session.allowed_recipients.join('\n'));
  const recipients = parseRecipients(text, useForbidden());
  const submit = () => {
    if (recipients.kind === 'refused') return;
    const { value } = recipients;
    onClose();
    run({
      title: 'Change the recipients',
      prepare: () => client.changeRecipients(session, value),
      onDone: onChange,
    });
  };
  return (
    <FormDialog title="Change the recipients" onSubmit={submit} onClose={onClose}>
      <RecipientsField
        text={text}
        error={recipients.kind === 'refused' ? recipients.errors.recipients : undefined}
        recipients={recipients.kind === 'accepted' ? recipients.value : []}
        onChange={setText}
      />
    </FormDialog>
  );
};
