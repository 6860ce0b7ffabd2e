import { useLocation } from 'preact-iso';
import { useRef } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { Copyable } from '../design/controls/copyable.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { ROUTES } from '../routes.ts';
import { Fullscreen } from '../shell/fullscreen.tsx';
import { useTransaction } from '../transactions/transaction-provider.tsx';
import './create-vault.css';

/** The view of an owner without a vault. */
export const CreateVault = ({ onCreated }: { readonly onCreated: () => Promise<void> }) => {
  const { client, address, signOut } = useOwner();
  const { run } = useTransaction();
  const { route } = useLocation();
  const done = useRef(onCreated);
  done.current = onCreated;
  const create = () =>
    run({
      title: 'Create your vault',
      prepare: async () => (await client.createWallet()).transaction,
      onDone: async () => {
        route(ROUTES.fund, true);
        await done.current();
      },
    });
  return (
    <Fullscreen>
      <h1>Create your vault</h1>
      <ol class="create-vault-steps">
        <li aria-current="step">
          <h2>Create it</h2>
          <p class="soft">
            One transaction creates the vault on chain and its USDC account. Only your wallet can
            change it. The service can only spend from it within the limits that you sign.
          </p>
          <p class="soft">
            For rent and fees, you need about 0.05 SOL at your address{' '}
            <Copyable value={address} name="your address" isShort />
          </p>
          <div class="create-vault-actions">
            <Button kind="primary" onClick={create}>
              Create the vault
            </Button>
            <Button kind="quiet" onClick={() => void signOut()}>
              Sign out
            </Button>
          </div>
        </li>
        <li>
          <h2>Fund it</h2>
          <p class="soft">
            Send USDC to the vault’s address, which you get in the next step. How much is up to you:
            an agent can never spend more than its limits and what the vault holds.
          </p>
        </li>
      </ol>
    </Fullscreen>
  );
};
