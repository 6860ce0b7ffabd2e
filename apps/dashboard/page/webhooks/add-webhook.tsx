import type { CreatedWebhook } from '@agent-wallet/sdk/owner';
import { useId, useMemo, useState } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { Field } from '../design/controls/field.tsx';
import { Dialog } from '../design/feedback/dialog.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { ActionError } from './action-error.tsx';
import { EVENT_NAMES, EVENTS } from './event-names.ts';
import { useAction } from './use-action.ts';
import { EMPTY_FORM, type FormFaults, readForm, toggleEvent } from './webhook-form.ts';

const NO_FAULTS: FormFaults = { url: null, events: null, threshold: null };

/** The dialog that creates a webhook. */
export const AddWebhook = ({
  onCreated,
  onClose,
}: {
  readonly onCreated: (created: CreatedWebhook) => Promise<void>;
  readonly onClose: () => void;
}) => {
  const { client } = useOwner();
  const formId = useId();
  const [form, setForm] = useState(EMPTY_FORM);
  const [isChecked, setChecked] = useState(false);
  // One key for all tries of the same form: a repeated click creates no second webhook.
  const idempotencyKey = useMemo(() => crypto.randomUUID(), [form]);
  const { isBusy, error, start } = useAction();
  const read = readForm(form);
  const faults = isChecked && read.kind === 'refused' ? read.faults : NO_FAULTS;
  return (
    <Dialog
      title="Add a webhook"
      {...(isBusy ? {} : { onClose })}
      footer={
        <>
          <Button isDisabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" form={formId} isBusy={isBusy}>
            Add
          </Button>
        </>
      }
    >
      <form
        id={formId}
        class="webhook-form"
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (read.kind !== 'request' || isBusy) return;
          void start(async () =>
            onCreated(await client.webhooks.create(read.request, { idempotencyKey })),
          );
        }}
      >
        <ActionError error={error} />
        <Field
          label="URL"
          hint="An https URL with a public host name"
          placeholder="https://hooks.example.com/wallet"
          inputMode="url"
          value={form.url}
          onValue={(url) => setForm((last) => ({ ...last, url }))}
          error={faults.url}
        />
        <fieldset class="webhook-events">
          <legend>Events</legend>
          {EVENTS.map((event) => (
            <label key={event}>
              <input
                type="checkbox"
                checked={form.events.has(event)}
                onChange={() => setForm((last) => toggleEvent(last, event))}
              />
              {EVENT_NAMES[event]}
              <code class="soft">{event}</code>
            </label>
          ))}
          <span class="field-error" role="alert">
            {faults.events}
          </span>
        </fieldset>
        {form.events.has('wallet.low_balance') ? (
          <Field
            label="Notify below"
            unit="USDC"
            inputMode="decimal"
            value={form.threshold}
            onValue={(threshold) => setForm((last) => ({ ...last, threshold }))}
            error={faults.threshold}
          />
        ) : null}
      </form>
    </Dialog>
  );
};
