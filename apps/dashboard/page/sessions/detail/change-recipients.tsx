import { useState } from 'preact/hooks';
import { useOwner } from '../../owner/owner-context.tsx';
import { RecipientsField } from '../form/recipients-field.tsx';
import { parseRecipients } from '../form/session-form.ts';
import { useForbidden } from '../form/use-forbidden.ts';
import { type ChangeProps, FormDialog } from './form-dialog.tsx';

/** The recipients of a session, to be replaced. */
export const ChangeRecipients = ({ session, onChange, onClose }: ChangeProps) => {
  const { client } = useOwner();
  const [text, setText] = useState(session.allowed_recipients.join('\n'));
  const recipients = parseRecipients(text, useForbidden());
  return (
    <FormDialog
      title="Change the recipients"
      parsed={recipients}
      prepare={(value) => client.changeRecipients(session, value)}
      onChange={onChange}
      onClose={onClose}
    >
      <RecipientsField
        text={text}
        error={recipients.kind === 'refused' ? recipients.errors.recipients : undefined}
        recipients={recipients.kind === 'accepted' ? recipients.value : []}
        onChange={setText}
      />
    </FormDialog>
  );
};
