import { Button } from '../design/controls/button.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useVault } from '../owner/vault-context.tsx';
import { useTransaction } from '../transactions/transaction-provider.tsx';

/** Stops all spending by one transaction, and allows it again by another. */
export const PauseButton = () => {
  const { client } = useOwner();
  const { wallet, refresh } = useVault();
  const { run } = useTransaction();
  if (wallet.paused) {
    const resume = () =>
      run({ title: 'Resume spending', prepare: () => client.resume(), onDone: refresh });
    return <Button onClick={resume}>Resume spending</Button>;
  }
  const pause = () =>
    run({ title: 'Pause all spending', prepare: () => client.pause(), onDone: refresh });
  return <Button onClick={pause}>Pause all spending</Button>;
};
