import { useRef } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { Fullscreen } from '../shell/fullscreen.tsx';
import { useTransaction } from '../transactions/transaction-provider.tsx';

/** The view of an owner without a vault. */
export const CreateVault = ({ onCreated }: { readonly onCreated: () => Promise<void> }) => {
  const { client } = useOwner();
  const { run } = useTransaction();
  const done = useRef(onCreated);
  done.current = onCreated;
  const create = () =>
    run({
      title: 'Create your vault',
      prepare: async () => (await client.createWallet()).transaction,
      onDone: () => done.current(),
    });
  return (
    <Fullscreen>
      <h1>Create your vault</h1>
      <p class="soft">
        The vault holds the USDC that your agents may spend. Only your wallet can create it, change
        it or empty it.
      </p>
      <div>
        <Button kind="primary" onClick={create}>
          Create the vault
        </Button>
      </div>
    </Fullscreen>
  );
};
