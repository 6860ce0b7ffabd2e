import type { WalletYield } from '@agent-wallet/sdk/owner';
import { Card } from '../design/content/card.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useTransaction } from '../transactions/transaction-provider.tsx';
import { MoveForm } from './move-form.tsx';

/** From the reserve back to the vault. */
export const WithdrawCard = ({
  position: { deployed },
  onMoved,
}: {
  readonly position: WalletYield;
  readonly onMoved: () => Promise<void>;
}) => {
  const { client } = useOwner();
  const { run } = useTransaction();
  const withdraw = (amount: bigint | 'all', onDone: () => void = () => undefined) =>
    run({
      title: amount === 'all' ? 'Withdraw everything from yield' : 'Withdraw from yield',
      prepare: () => client.yieldWithdraw({ amount }),
      onDone: async () => {
        onDone();
        await onMoved();
      },
    });
  return (
    <Card title="Withdraw to the vault">
      <MoveForm
        verb="Withdraw"
        done="withdrawn"
        most={deployed}
        all={{
          name: 'Withdraw everything',
          isPossible: deployed > 0n,
          onClick: () => withdraw('all'),
        }}
        onMove={withdraw}
      >
        A withdrawal of an amount pays back principal first. ‘Withdraw everything’ also pays the
        interest, up to what the reserve can pay now.
      </MoveForm>
    </Card>
  );
};
