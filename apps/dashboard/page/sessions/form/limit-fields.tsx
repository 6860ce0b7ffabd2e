import { Field } from '../../design/controls/field.tsx';
import { ACTIONS, type SessionAction } from './session-actions.ts';
import type { LimitField, Refused, SessionForm } from './session-form.ts';
import './form.css';

/** The fields of a session's limits. */
export const LimitFields = ({
  form,
  errors,
  hint,
  canKeepExpiry = false,
  onChange,
}: {
  readonly form: SessionForm;
  readonly errors: Refused<LimitField>;
  /** When the session would expire. */
  readonly hint: string;
  readonly canKeepExpiry?: boolean;
  readonly onChange: (change: Partial<SessionForm>) => void;
}) => {
  const toggle = (action: SessionAction, isOn: boolean) => {
    const others = form.actions.filter((other) => other !== action);
    onChange({ actions: isOn ? [...others, action] : others });
  };
  return (
    <>
      <div class="form-pair">
        <Field
          label="At most per payment"
          unit="USDC"
          inputMode="decimal"
          value={form.maxPerTx}
          error={errors.maxPerTx}
          onValue={(maxPerTx) => onChange({ maxPerTx })}
        />
        <Field
          label="At most in 24 hours"
          unit="USDC"
          inputMode="decimal"
          value={form.dailyCap}
          error={errors.dailyCap}
          onValue={(dailyCap) => onChange({ dailyCap })}
        />
      </div>
      <div class="form-expiry">
        {form.unit === 'same' ? null : (
          <Field
            label="Expires after"
            inputMode="numeric"
            value={form.lasts}
            error={errors.lasts}
            onValue={(lasts) => onChange({ lasts })}
          />
        )}
        <label class="form-select">
          <span class={form.unit === 'same' ? 'field-label' : 'visually-hidden'}>
            {form.unit === 'same' ? 'Expires' : 'Unit'}
          </span>
          <select
            value={form.unit}
            onChange={({ currentTarget }) => {
              const { value } = currentTarget;
              if (value === 'hours' || value === 'days' || value === 'same') {
                onChange({ unit: value });
              }
            }}
          >
            {canKeepExpiry ? <option value="same">as before</option> : null}
            <option value="hours">hours</option>
            <option value="days">days</option>
          </select>
          {form.unit === 'same' && errors.lasts !== undefined ? (
            <span class="field-error" role="alert">
              {errors.lasts}
            </span>
          ) : null}
        </label>
        <span class="form-expiry-hint soft">{hint}</span>
      </div>
      <fieldset class="form-actions">
        <legend class="field-label">What it may do</legend>
        {ACTIONS.map(({ action, label, hint: what }) => (
          <label key={action} class="form-action">
            <input
              type="checkbox"
              checked={form.actions.includes(action)}
              onChange={({ currentTarget }) => toggle(action, currentTarget.checked)}
            />
            <span>
              {label}
              <span class="soft">{what}</span>
            </span>
          </label>
        ))}
        <span class="field-error" role="alert">
          {errors.actions}
        </span>
      </fieldset>
    </>
  );
};
