import type { OwnerClient } from '@agent-wallet/sdk/owner';
import { useState } from 'preact/hooks';
import { Notice } from '../design/feedback/notice.tsx';
import { describeError } from '../failure/describe-error.ts';
import type { SignedInAs } from '../owner/signed-in.ts';
import { Fullscreen } from '../shell/fullscreen.tsx';
import type { SolanaWallet } from '../wallet/solana-wallet.ts';
import { type Connection, useWallet } from '../wallet/wallet-context.tsx';
import { ROUTES } from '../routes.ts';
import { LoadingPage } from '../shell/loading-page.tsx';
import { WalletList } from './wallet-list.tsx';
import './sign-in.css';

/** The first view: choose a wallet, then sign a text with it. */
export const SignIn = ({
  createClient,
  isExpired,
  onSignedIn,
}: {
  readonly createClient: (connection: Connection) => OwnerClient;
  readonly isExpired: boolean;
  readonly onSignedIn: (as: SignedInAs) => void;
}) => {
  const { wallets, connect, isReconnecting } = useWallet();
  const [busyWith, setBusyWith] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);

  const signIn = async (wallet: SolanaWallet) => {
    setBusyWith(wallet.name);
    setError(null);
    try {
      onSignedIn(await createClient(await connect(wallet)).signIn());
    } catch (reason) {
      setError(reason);
    } finally {
      setBusyWith(null);
    }
  };
  if (isReconnecting) return <LoadingPage />;
  return (
    <Fullscreen>
      <div class="sign-in-promise">
        <h1>Give an agent money, not the key</h1>
        <p class="soft">
          Your USDC is held in a vault that only your wallet controls. Agents spend from it within
          limits that the chain enforces.
        </p>
      </div>
      {isExpired ? (
        <Notice kind="info" title="Your sign-in has ended.">
          Sign in again to continue where you left off.
        </Notice>
      ) : null}
      {error === null ? null : <SignInError error={error} />}
      <WalletList
        wallets={wallets}
        action="Sign in"
        busyWith={busyWith}
        onChoose={(wallet) => void signIn(wallet)}
      />
      <ul class="sign-in-facts">
        <li>Signing in costs nothing and moves nothing: your wallet signs a text.</li>
        <li>Every later transaction is shown in words before your wallet signs it.</li>
        <li>
          <span>
            You can pause, revoke and withdraw at any time, also{' '}
            <a href={ROUTES.exit}>without this service</a>.
          </span>
        </li>
      </ul>
    </Fullscreen>
  );
};

const SignInError = ({ error }: { readonly error: unknown }) => {
  const { title, remedy } = describeError(error);
  return (
    <Notice kind="danger" title={title}>
      {remedy}
    </Notice>
  );
};
