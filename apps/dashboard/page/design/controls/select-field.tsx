import { useId } from 'preact/hooks';
import './select-field.css';

/** A labelled choice of one of several values. */
export function SelectField<Value extends string>({
  label,
  value,
  options,
  onChange,
  isDisabled = false,
}: {
  readonly label: string;
  readonly value: Value;
  /** Values and how they read, in their order. */
  readonly options: readonly (readonly [value: Value, name: string])[];
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}) {
  const id = useId();
  return (
    <div class="select-field">
      <label for={id}>{label}</label>
      <span class="select-field-box">
        <select
          id={id}
          value={value}
          disabled={isDisabled}
          onChange={({ currentTarget }) => {
            const chosen = options.find(([known]) => known === currentTarget.value);
            if (chosen !== undefined) onChange(chosen[0]);
          }}
        >
          {options.map(([known, name]) => (
            <option key={known} value={known}>
              {name}
            </option>
          ))}
        </select>
      </span>
    </div>
  );
}
