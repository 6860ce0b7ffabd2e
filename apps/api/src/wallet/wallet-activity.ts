import type { Database } from '@agent-wallet/db';
import type { VaultState } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { ChainAccess, WalletFacts } from '../chain/chain-access.ts';
import { refuse } from '../http/http-refusal.ts';
import { findWallet, markWalletActive, type Wallet } from '@agent-wallet/wallet';

type Deps = { readonly db: Database; readonly chain: Pick<ChainAccess, 'readWallet'> };

/**
 * The wallet's vault on chain. A pending row is marked active when the vault exists, so that a
 * lagging follower refuses no request. Throws 409 without a vault, and RPC_UNAVAILABLE when the node
 * has not seen it yet.
 */
export async function requireVault(deps: Deps, wallet: Wallet): Promise<VaultState> {
  const facts = await deps.chain.readWallet(wallet, []);
  if (!(await isActive(deps.db, wallet, facts))) throw refuse('WALLET_NOT_ACTIVE');
  if (facts.vault === null) throw new AppError('RPC_UNAVAILABLE', { reason: 'node lags' });
  return facts.vault;
}

/** The owner's wallet. Throws 404 without one. */
export async function requireWallet(db: Database, owner: string): Promise<Wallet> {
  const wallet = await findWallet(db, owner);
  if (wallet === null) throw refuse('WALLET_NOT_FOUND');
  return wallet;
}

/** The owner's wallet and its state on chain. Throws 404 without a wallet, 409 without a vault. */
export async function requireActiveWallet(
  deps: Deps,
  owner: string,
): Promise<{ readonly wallet: Wallet; readonly facts: WalletFacts }> {
  const wallet = await requireWallet(deps.db, owner);
  const facts = await deps.chain.readWallet(wallet, []);
  if (!(await isActive(deps.db, wallet, facts))) throw refuse('WALLET_NOT_ACTIVE');
  return { wallet, facts };
}

/**
 * Whether the wallet has a vault. `facts` decide, unless they are older than what is recorded here.
 * Marks a pending wallet active.
 */
export async function isActive(db: Database, wallet: Wallet, facts: WalletFacts): Promise<boolean> {
  const { activeSlot, closedSlot } = wallet;
  if (activeSlot !== null && facts.slot < activeSlot) return true;
  if (closedSlot !== null && facts.slot < closedSlot) return false;
  if (facts.vault === null) return false;
  if (wallet.status === 'pending') {
    await markWalletActive(db, { walletId: wallet.walletId, slot: facts.slot });
  }
  return true;
}
