import { useState } from 'preact/hooks';
import { Card } from '../design/content/card.tsx';
import { Button } from '../design/controls/button.tsx';
import { Field } from '../design/controls/field.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useTransaction } from '../transactions/transaction-provider.tsx';
import { readShare, shareText } from './share.ts';

/** The largest share of the balance that may be deployed, enforced on chain. */
export const ShareCard = ({
  currentBp,
  onChanged,
}: {
  /** Basis points. */
  readonly currentBp: number;
  readonly onChanged: () => Promise<void>;
}) => {
  const { client } = useOwner();
  const { run } = useTransaction();
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const bp = readShare(text);
  return (
    <Card title="Maximum deployed share">
      <p class="soft">
        The program refuses every deposit above this share, by you or by an agent. It is now{' '}
        {shareText(currentBp)}; 0% keeps everything liquid.
      </p>
      <form
        class="yield-share-form"
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (bp === null || bp === currentBp) return;
          run({
            title: 'Change the maximum deployed share',
            prepare: () => client.setMaxDeployedFraction(bp),
            onDone: async () => {
              setText('');
              setChecked(false);
              await onChanged();
            },
          });
        }}
      >
        <Field
          label="New share"
          unit="%"
          inputMode="decimal"
          value={text}
          placeholder={String(currentBp / 100)}
          onValue={setText}
          onBlur={() => setChecked(text !== '')}
          error={isChecked ? faultOf(bp, currentBp) : null}
        />
        <Button type="submit">Change</Button>
      </form>
    </Card>
  );
};

function faultOf(bp: number | null, currentBp: number): string | null {
  if (bp === null) return 'Enter a share from 0 to 100, with at most two decimals.';
  return bp === currentBp ? 'This is the share already.' : null;
}
