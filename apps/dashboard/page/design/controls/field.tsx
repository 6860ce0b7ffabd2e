import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './field.css';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** A date is written `2026-11-23`, a time `14:05`; `text` by default. */
  readonly type?: 'text' | 'date' | 'time';
  /** Which keyboard a phone shows. */
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'url';
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  readonly onBlur?: () => void;
  /** What to enter, below the label. */
  readonly hint?: ComponentChildren;
  /** Why the value is refused; null or absent when it is not. */
  readonly error?: string | null | undefined;
  /** Shown inside, at the end: a unit. */
  readonly unit?: string;
};

/** A labelled text field with its hint and its error. */
export const Field = ({
  label,
  value,
  onValue,
  type = 'text',
  inputMode,
  placeholder,
  isDisabled = false,
  onBlur,
  hint,
  error,
  unit,
}: Props) => {
  const id = useId();
  const isRefused = error !== null && error !== undefined;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {hint === undefined ? null : (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <span class={`field-box${isRefused ? ' field-box-refused' : ''}`}>
        <input
          id={id}
          {...(type === 'text' ? { type } : { type })}
          value={value}
          inputMode={inputMode}
          placeholder={placeholder}
          disabled={isDisabled}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
          onBlur={onBlur}
          aria-invalid={isRefused}
          aria-describedby={`${hint === undefined ? '' : `${id}-hint `}${id}-error`}
        />
        {unit === undefined ? null : <span class="field-unit">{unit}</span>}
      </span>
      <span class="field-error" id={`${id}-error`} role="alert">
        {error}
      </span>
    </div>
  );
};
