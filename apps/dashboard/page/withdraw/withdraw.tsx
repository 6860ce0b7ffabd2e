import { useState } from 'preact/hooks';
import { Amount } from '../design/content/amount.tsx';
import { Card } from '../design/content/card.tsx';
import { Button } from '../design/controls/button.tsx';
import { Field } from '../design/controls/field.tsx';
import { readAmount } from '../design/controls/read-amount.ts';
import { Notice } from '../design/feedback/notice.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useVault } from '../owner/vault-context.tsx';
import { ROUTES } from '../routes.ts';
import { useTransaction } from '../transactions/transaction-provider.tsx';
import './withdraw.css';

/** From the vault to the owner's wallet: an amount, or all that is liquid. */
export const Withdraw = () => {
  const { client } = useOwner();
  const { wallet, refresh } = useVault();
  const { run } = useTransaction();
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isDone, setDone] = useState(false);
  const { liquid, deployed_amount } = wallet;
  const reading = readAmount(text, liquid, 'withdrawn');
  const isEmpty = liquid === 0n;

  const withdraw = (amount: bigint | 'all', title: string) =>
    run({
      title,
      prepare: () => client.withdraw({ amount }),
      onDone: async () => {
        setText('');
        setChecked(false);
        setDone(true);
        await refresh();
      },
    });
  return (
    <>
      <h1>Withdraw</h1>
      {isDone ? (
        <Notice kind="positive" title="The USDC is in your wallet.">
          It was sent to the USDC account of the wallet that you signed with.
        </Notice>
      ) : null}
      <div class="withdraw">
        <Card title="To your wallet">
          <form
            class="withdraw-form"
            onSubmit={(event) => {
              event.preventDefault();
              setChecked(true);
              if (reading.kind === 'amount') withdraw(reading.amount, 'Withdraw USDC');
            }}
          >
            <Field
              label="Amount"
              unit="USDC"
              inputMode="decimal"
              value={text}
              onValue={(value) => {
                setText(value);
                setDone(false);
              }}
              onBlur={() => setChecked(text !== '')}
              error={isChecked && reading.kind === 'refused' ? reading.reason : null}
            />
            <div class="withdraw-actions">
              <Button kind="primary" type="submit" isDisabled={isEmpty}>
                Withdraw
              </Button>
              <Button isDisabled={isEmpty} onClick={() => withdraw('all', 'Withdraw everything')}>
                Withdraw everything
              </Button>
            </div>
          </form>
          <p class="soft">
            It goes to the USDC account of your own wallet, which is created if it does not exist.
            The program allows no other destination. If the service is down,{' '}
            <a href={ROUTES.exit}>withdraw without it</a>.
          </p>
        </Card>
        <Card title="In the vault">
          <Amount baseUnits={liquid} size="large" />
          {deployed_amount === 0n ? (
            <p class="soft">All of it can be withdrawn now, also while spending is paused.</p>
          ) : (
            <p class="soft">
              A further <Amount baseUnits={deployed_amount} /> is deployed to yield:{' '}
              <a href={ROUTES.yield}>withdraw it from the reserve</a> to the vault first.
            </p>
          )}
        </Card>
      </div>
    </>
  );
};
