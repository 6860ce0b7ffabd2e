import { Button } from '../design/controls/button.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import type { SolanaWallet } from '../wallet/solana-wallet.ts';
import './wallet-list.css';

/** The wallets of the browser with one action each; without any, what to do about it. */
export const WalletList = ({
  wallets,
  action,
  busyWith,
  onChoose,
}: {
  readonly wallets: readonly SolanaWallet[];
  /** The name of the action, such as `Sign in`. */
  readonly action: string;
  /** The name of the wallet that the action runs with. */
  readonly busyWith: string | null;
  readonly onChoose: (wallet: SolanaWallet) => void;
}) => {
  if (wallets.length === 0) {
    return (
      <Notice kind="warning" title="This browser has no Solana wallet.">
        Install one that can sign messages, such as Phantom, Solflare or Backpack, and reload this
        page. On a phone, open this page in the browser of the wallet’s app.
      </Notice>
    );
  }
  return (
    <ul class="wallet-list" aria-label="Wallets">
      {wallets.map((wallet) => (
        <li key={wallet.name}>
          <img src={wallet.icon} alt="" width={32} height={32} />
          <span class="wallet-list-name">{wallet.name}</span>
          <Button
            kind={wallets.length === 1 ? 'primary' : 'secondary'}
            isBusy={busyWith === wallet.name}
            isDisabled={busyWith !== null && busyWith !== wallet.name}
            aria-label={`${action} with ${wallet.name}`}
            onClick={() => onChoose(wallet)}
          >
            {action}
          </Button>
        </li>
      ))}
    </ul>
  );
};
