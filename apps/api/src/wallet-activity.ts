import type { Database } from '@agent-wallet/db';
import type { ChainAccess, WalletFacts } from './chain-access.ts';
import { markWalletActive, type Wallet } from './store/wallets.ts';

/**
 * Whether the wallet's vault exists. A row that says pending is checked against the chain and
 * marked when the chain shows the vault, so that nobody is refused for a follower that lags.
 */
export async function isVaultActive(
  deps: { readonly db: Database; readonly chain: Pick<ChainAccess, 'readWallet'> },
  wallet: Wallet,
): Promise<boolean> {
  if (wallet.status === 'active') return true;
  return noteVault(deps.db, wallet, await deps.chain.readWallet(wallet, []));
}

/** Marks the wallet when `facts` show its vault; tells whether they do. */
export async function noteVault(
  db: Database,
  wallet: Wallet,
  facts: WalletFacts,
): Promise<boolean> {
  if (facts.vault === null) return false;
  if (wallet.status === 'pending') {
    await markWalletActive(db, { walletId: wallet.walletId, slot: facts.slot });
  }
  return true;
}
