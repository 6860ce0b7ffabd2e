import type { OwnerClient } from '@agent-wallet/sdk/owner';
import { useState } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { describeError } from '../owner/describe-error.ts';
import type { SignedInAs } from '../owner/signed-in.ts';
import { Fullscreen } from '../shell/fullscreen.tsx';
import type { SolanaWallet } from '../wallet/solana-wallet.ts';
import { type Connection, useWallet } from '../wallet/wallet-context.tsx';
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
  if (isReconnecting) return <Fullscreen isLoading />;
  const refused = error === null ? null : describeError(error);
  return (
    <Fullscreen>
      <h1>Give an agent money, not the key</h1>
      <p class="soft">
        Your wallet owns the vault. Agents spend from it within the limits that you sign, and you
        can take everything back at any time.
      </p>
      {isExpired ? (
        <Notice kind="info" title="Your sign-in has ended.">
          Sign in again to go on where you were.
        </Notice>
      ) : null}
      {refused === null ? null : (
        <Notice kind="danger" title={refused.title}>
          {refused.remedy}
        </Notice>
      )}
      {wallets.length === 0 ? (
        <Notice kind="warning" title="No wallet found in this browser.">
          Install a Solana wallet that can sign messages, for example Phantom, Solflare or Backpack,
          then reload this page.
        </Notice>
      ) : (
        <ul class="sign-in-wallets">
          {wallets.map((wallet) => (
            <li key={wallet.name}>
              <img src={wallet.icon} alt="" width={32} height={32} />
              <span>{wallet.name}</span>
              <Button
                kind="primary"
                isBusy={busyWith === wallet.name}
                isDisabled={busyWith !== null && busyWith !== wallet.name}
                aria-label={`Sign in with ${wallet.name}`}
                onClick={() => void signIn(wallet)}
              >
                Sign in
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Fullscreen>
  );
};
