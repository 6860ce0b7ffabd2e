import { Amount } from '../design/content/amount.tsx';
import { Card } from '../design/content/card.tsx';
import { useVault } from '../owner/vault-context.tsx';

/** What the wallet holds. */
export const Overview = () => {
  const { wallet } = useVault();
  return (
    <>
      <h1>Overview</h1>
      <Card title="Balance">
        <Amount baseUnits={wallet.liquid} size="large" />
      </Card>
    </>
  );
};
