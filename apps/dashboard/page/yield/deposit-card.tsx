import type { WalletYield } from '@agent-wallet/sdk/owner';
import { Card } from '../design/content/card.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useTransaction } from '../transactions/transaction-provider.tsx';
import { MoveForm } from './move-form.tsx';
import { mostToDeposit } from './share.ts';

/** From the vault to the reserve, up to the maximum deployed share. */
export const DepositCard = ({
  position,
  maxShareBp,
  onMoved,
}: {
  readonly position: WalletYield;
  readonly maxShareBp: number;
  readonly onMoved: () => Promise<void>;
}) => {
  const { client } = useOwner();
  const { run } = useTransaction();
  const most = mostToDeposit(position, maxShareBp);
  const deposit = (amount: bigint, onDone: () => void = () => undefined) =>
    run({
      title: 'Deposit to yield',
      prepare: () => client.yieldDeposit({ amount }),
      onDone: async () => {
        onDone();
        await onMoved();
      },
    });
  return (
    <Card title="Deposit">
      <MoveForm
        verb="Deposit"
        isPrimary
        done="deposited"
        most={most}
        all={{
          name: 'Deposit the maximum',
          isPossible: most === null || most > 0n,
          onClick: () => most !== null && deposit(most),
        }}
        onMove={deposit}
      >
        {most === 0n
          ? 'Nothing more may be deployed: raise the maximum deployed share below, or add USDC.'
          : 'Deployed USDC cannot be spent before it is withdrawn to the vault.'}
      </MoveForm>
    </Card>
  );
};
