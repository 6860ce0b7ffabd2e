import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../design/controls/button.tsx';
import { Field } from '../../design/controls/field.tsx';
import type { EntryDraft, EntryFaults } from '../policy-draft.ts';

/** One entry of the allowlist. A fault is shown once its field was left, or had a value before. */
export const UrlRow = ({
  entry,
  place,
  faults,
  isNew,
  isMatched,
  onChange,
  onRemove,
}: {
  readonly entry: EntryDraft;
  /** Counts the rows from 1, for the names of the fields. */
  readonly place: number;
  readonly faults: EntryFaults;
  /** Takes the focus. */
  readonly isNew: boolean;
  readonly isMatched: boolean;
  readonly onChange: (entry: EntryDraft) => void;
  readonly onRemove: () => void;
}) => {
  const [left, setLeft] = useState({ pattern: !isNew, maxPerCall: !isNew });
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isNew) row.current?.querySelector('input')?.focus();
  }, [isNew]);
  return (
    <li ref={row} class={`url-row${isMatched ? ' url-row-matched' : ''}`}>
      <Field
        label={`Pattern ${place}`}
        value={entry.pattern}
        error={left.pattern ? faults.pattern : null}
        placeholder="https://api.example.com/v1/**"
        inputMode="url"
        onValue={(pattern) => onChange({ ...entry, pattern })}
        onBlur={() => setLeft((last) => ({ ...last, pattern: true }))}
      />
      <Field
        label={`Most per call ${place}`}
        value={entry.maxPerCall}
        unit="USDC"
        inputMode="decimal"
        error={left.maxPerCall ? faults.maxPerCall : null}
        placeholder="0.05"
        onValue={(maxPerCall) => onChange({ ...entry, maxPerCall })}
        onBlur={() => setLeft((last) => ({ ...last, maxPerCall: true }))}
      />
      <Button kind="quiet" aria-label={`Remove pattern ${place}`} onClick={onRemove}>
        Remove
      </Button>
    </li>
  );
};
