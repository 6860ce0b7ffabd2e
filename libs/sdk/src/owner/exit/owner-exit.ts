import type { OwnerCallOptions, OwnerClientOptions, Withdrawal } from '../owner-client.ts';
import type { OwnerTransaction } from '../owner-transaction.ts';
import type { VaultOnChain } from './read-vault.ts';

export type OwnerExitOptions = Omit<OwnerClientOptions, 'url' | 'rpcUrl'> & {
  /** An RPC node of the owner's choice. */
  readonly rpcUrl: string;
};

/** A session to revoke; those of `vault()` fit. */
export type RevocableSession = {
  readonly session_pubkey: string;
  readonly session_index: bigint;
};

/**
 * What an owner does without the API, with an RPC node and the wallet's key alone. Every transaction
 * is composed here; nothing is sent before `sendAndConfirm`. A method throws `RPC_UNAVAILABLE` when
 * the node does not respond.
 */
export type OwnerExit = {
  /** What the chain holds for the owner; null without a vault. */
  vault(options?: OwnerCallOptions): Promise<VaultOnChain | null>;
  /** While paused, no session can spend; the owner can still withdraw. */
  pause(options?: OwnerCallOptions): Promise<OwnerTransaction>;
  resume(options?: OwnerCallOptions): Promise<OwnerTransaction>;
  /** At most ten sessions; their rent goes to the owner. */
  revoke(
    sessions: readonly RevocableSession[],
    options?: OwnerCallOptions,
  ): Promise<OwnerTransaction>;
  /**
   * Turns units of the yield reserve's collateral into USDC of the vault, interest included. The
   * chain refuses more than the reserve can pay now: redeem a part then.
   */
  redeem(
    redemption: { readonly collateral: bigint },
    options?: OwnerCallOptions,
  ): Promise<OwnerTransaction>;
  /** To the owner's associated token account, created if missing, or to another one of the owner. */
  withdraw(withdrawal: Withdrawal, options?: OwnerCallOptions): Promise<OwnerTransaction>;
};
