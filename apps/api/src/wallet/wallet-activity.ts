import type { Database } from '@agent-wallet/db';
import type { ChainAccess, WalletFacts } from '../chain/chain-access.ts';
import { refuse } from '../http/http-refusal.ts';
import { findWallet, markWalletActive, type Wallet } from '@agent-wallet/wallet';

/**
 * Whether the wallet's vault exists. A pending row is checked against the chain and marked active
 * when the vault exists, so that a lagging follower refuses no request.
 */
export async function isVaultActive(
  deps: { readonly db: Database; readonly chain: Pick<ChainAccess, 'readWallet'> },
  wallet: Wallet,
): Promise<boolean> {
  if (wallet.status === 'active') return true;
  return recordVault(deps.db, wallet, await deps.chain.readWallet(wallet, []));
}

/** The owner's wallet. Throws 404 without one. */
export async function requireWallet(db: Database, owner: string): Promise<Wallet> {
  const wallet = await findWallet(db, owner);
  if (wallet === null) throw refuse('WALLET_NOT_FOUND');
  return wallet;
}

/** The owner's wallet and its state on chain. Throws 404 without a wallet, 409 without a vault. */
export async function requireActiveWallet(
  deps: { readonly db: Database; readonly chain: Pick<ChainAccess, 'readWallet'> },
  owner: string,
): Promise<{ readonly wallet: Wallet; readonly facts: WalletFacts }> {
  const wallet = await requireWallet(deps.db, owner);
  const facts = await deps.chain.readWallet(wallet, []);
  const isActive = (await recordVault(deps.db, wallet, facts)) || wallet.status === 'active';
  if (!isActive) throw refuse('WALLET_NOT_ACTIVE');
  return { wallet, facts };
}

/** Marks the wallet active when `facts` show its vault. Returns whether they do. */
export async function recordVault(
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
