import { type OwnerSigner, walletStandardSigner } from '@agent-wallet/sdk/owner';
import {
  SolanaSignMessage,
  type SolanaSignMessageFeature,
  SolanaSignTransaction,
  type SolanaSignTransactionFeature,
} from '@solana/wallet-standard-features';
import type { IdentifierString, Wallet, WalletAccount } from '@wallet-standard/base';
import {
  StandardConnect,
  type StandardConnectFeature,
  StandardDisconnect,
  type StandardDisconnectFeature,
  StandardEvents,
  type StandardEventsFeature,
} from '@wallet-standard/features';
import { fromWallet } from './wallet-error.ts';

/** A wallet of the Wallet Standard that can do what an owner needs. */
export type SolanaWallet = Wallet & {
  readonly features: StandardConnectFeature &
    SolanaSignMessageFeature &
    SolanaSignTransactionFeature &
    Partial<StandardDisconnectFeature & StandardEventsFeature>;
};

const NEEDED = [StandardConnect, SolanaSignMessage, SolanaSignTransaction];

/** Whether the wallet connects, and signs texts and transactions for Solana. */
export const isSolanaWallet = (wallet: Wallet): wallet is SolanaWallet =>
  wallet.chains.some((chain) => chain.startsWith('solana:')) &&
  NEEDED.every((feature) => feature in wallet.features);

/** The account of a wallet's that a page may use, its first one for Solana; or none. */
const solanaAccountOf = (accounts: readonly WalletAccount[]): WalletAccount | undefined =>
  accounts.find(({ chains }) => chains.some((chain) => chain.startsWith('solana:')));

/** Asks the wallet for its accounts; `silent` does so without a window, where it was allowed before. */
export async function connectWallet(
  wallet: SolanaWallet,
  { silent }: { readonly silent: boolean },
): Promise<WalletAccount | undefined> {
  const { connect } = wallet.features[StandardConnect];
  const { accounts } = await fromWallet(() => connect({ silent }));
  return solanaAccountOf(accounts);
}

export async function disconnectWallet(wallet: SolanaWallet): Promise<void> {
  await wallet.features[StandardDisconnect]?.disconnect();
}

/** Calls `onChange` whenever the wallet reports other accounts. Returns what ends that. */
export function watchAccounts(
  wallet: SolanaWallet,
  onChange: (account: WalletAccount | undefined) => void,
): () => void {
  const on = wallet.features[StandardEvents]?.on;
  if (on === undefined) return () => undefined;
  return on('change', ({ accounts }) => {
    if (accounts !== undefined) onChange(solanaAccountOf(accounts));
  });
}

/** The owner's signer on an account of a wallet. Throws a WalletError, also for a refusal. */
export function signerOf(
  wallet: SolanaWallet,
  account: WalletAccount,
  chain: IdentifierString,
): OwnerSigner {
  const signer = walletStandardSigner(wallet, account, { chain });
  return {
    address: signer.address,
    signMessage: (message) => fromWallet(() => signer.signMessage(message)),
    signTransaction: (transaction) => fromWallet(() => signer.signTransaction(transaction)),
  };
}
