import { useState } from 'preact/hooks';
import { useOwner } from '../../owner/owner-context.tsx';
import { LimitFields } from '../form/limit-fields.tsx';
import { actionsOf } from '../form/session-actions.ts';
import { expiryHint, formOfLimits, parseLimits } from '../form/session-form.ts';
import { WorstCase } from '../list/worst-case.tsx';
import { type ChangeProps, FormDialog } from './form-dialog.tsx';

/** The limits of a session, to be changed. What it has spent still counts. */
export const ChangeLimits = ({ session, onChange, onClose }: ChangeProps) => {
  const { client } = useOwner();
  const [form, setForm] = useState(() =>
    formOfLimits({ ...session, actions: actionsOf(session.allowed_instructions) }),
  );
  const now = Math.floor(Date.now() / 1_000);
  const limits = parseLimits(form, { now, expiry: session.expiry });
  return (
    <FormDialog
      title="Change the limits"
      parsed={limits}
      prepare={(value) => client.changeLimits(session, value)}
      onChange={onChange}
      onClose={onClose}
    >
      <LimitFields
        form={form}
        errors={limits.kind === 'refused' ? limits.errors : {}}
        hint={expiryHint(limits)}
        canKeepExpiry
        onChange={(change) => setForm((last) => ({ ...last, ...change }))}
      />
      <div class="form-worst">
        <h3>Could then spend at worst, in USDC</h3>
        <WorstCase
          session={
            limits.kind === 'refused' ? null : { ...session, ...limits.value, status: 'live' }
          }
        />
      </div>
    </FormDialog>
  );
};
