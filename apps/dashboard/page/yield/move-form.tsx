import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { Field } from '../design/controls/field.tsx';
import { readAmount } from '../design/controls/read-amount.ts';

/** An amount that goes to the reserve or comes back, and a button for all of it. */
export const MoveForm = ({
  verb,
  isPrimary = false,
  done,
  most,
  all,
  onMove,
  children,
}: {
  /** On the button: `Deposit`. */
  readonly verb: string;
  readonly isPrimary?: boolean;
  /** In the reason of a refused amount: `deposited`. */
  readonly done: string;
  /** Base units; null while it is not known. */
  readonly most: bigint | null;
  /** The button for everything, and whether there is anything. */
  readonly all: {
    readonly name: string;
    readonly isPossible: boolean;
    readonly onClick: () => void;
  };
  /** `onDone` empties the form. */
  readonly onMove: (amount: bigint, onDone: () => void) => void;
  /** What to know about it, below. */
  readonly children: ComponentChildren;
}) => {
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const move = readAmount(text, most, done);
  return (
    <form
      class="yield-form"
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (move.kind !== 'amount') return;
        onMove(move.amount, () => {
          setText('');
          setChecked(false);
        });
      }}
    >
      <Field
        label="Amount"
        unit="USDC"
        inputMode="decimal"
        value={text}
        onValue={setText}
        onBlur={() => setChecked(text !== '')}
        error={isChecked && move.kind === 'refused' ? move.reason : null}
      />
      <div class="yield-buttons">
        <Button
          kind={isPrimary ? 'primary' : 'secondary'}
          type="submit"
          isDisabled={!all.isPossible}
        >
          {verb}
        </Button>
        <Button isDisabled={!all.isPossible} onClick={all.onClick}>
          {all.name}
        </Button>
      </div>
      <p class="soft">{children}</p>
    </form>
  );
};
