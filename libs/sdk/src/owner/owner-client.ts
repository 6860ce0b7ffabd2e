import type { Fetch } from '../http/http-client.ts';
import type { Config, ListedSpend } from '../agent/replies.ts';
import type {
  AuditItem,
  DepositAddress,
  Policy,
  RotatedKey,
  Session,
  SessionBlastRadius,
  SignedIn,
  Wallet,
  WalletBlastRadius,
  WalletYield,
} from './owner-replies.ts';
import type { OwnerTransaction } from './owner-transaction.ts';
import type { OwnerSigner } from './signer/owner-signer.ts';
import type { Deployment } from './transaction/addresses.ts';
import type { SessionLimits } from './transaction/expect-transaction.ts';
import type { OwnerWebhooks } from './webhooks/owner-webhooks.ts';

export type OwnerClientOptions = {
  /** Base URL of the API. */
  readonly url: string;
  readonly signer: OwnerSigner;
  /**
   * Host of the owner's page, such as `wallet.example.com`: a sign-in at another one is not signed.
   * Without it, the API names the site, and can sign in elsewhere with the signature.
   */
  readonly site?: string;
  /**
   * The program that the owner trusts, and its mint; the beta on devnet by default. Not read from the
   * API, which would otherwise choose what the owner signs for.
   */
  readonly deployment?: Deployment;
  /** An RPC node of the owner's choice: transactions are sent through it, and nothing else is. */
  readonly rpcUrl?: string;
  /** Time limit of one call with all its retries; 120 s by default. */
  readonly timeoutMs?: number;
  /** Replaces the `fetch` of the platform. */
  readonly fetch?: Fetch;
};

export type OwnerCallOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Time limit of this call with all its retries. */
  readonly timeoutMs?: number | undefined;
};

/** What the owner asks a new session to be. */
export type SessionRequest = SessionLimits & {
  readonly wallet_id: string;
  /** At most ten wallet addresses; with none, the session can pay nobody. */
  readonly allowed_recipients: readonly string[];
};

/** A session that exists once its transaction is confirmed. */
export type CreatedSession = {
  readonly session_id: string;
  readonly session_pubkey: string;
  readonly session_pda: string;
  /** Shown once; null when the request was a repetition. Then `rotateKey` gives a new one. */
  readonly api_key: string | null;
  /** The session's number in the vault; null without a transaction. */
  readonly session_index: bigint | null;
  /** Null when a repeated request finds the session on chain, or expired. */
  readonly transaction: OwnerTransaction | null;
};

/**
 * A session to change. Its key is named beside its id, so that the API cannot put another session in
 * its place. `Session` and `CreatedSession` both fit.
 */
export type NamedSession = {
  readonly session_id: string;
  readonly session_pubkey: string;
  /** Compared where it is known; the program compares it in any case. */
  readonly session_index?: bigint | null;
};

export type Withdrawal = {
  /** Base units, or all that is liquid. */
  readonly amount: bigint | 'all';
  /** A USDC token account of the owner; by default the associated one, created if missing. */
  readonly destination?: string;
};

/** The off-chain rules; both are required, so that an omitted one lifts nothing. */
export type PolicyRequest = {
  readonly url_allowlist: readonly {
    readonly pattern: string;
    readonly max_per_call: bigint;
  }[];
  readonly time_window: Policy['time_window'];
};

/** Which rows of the log to read: of `from` or later, and before `to`. */
export type AuditFilter = {
  readonly decision?: 'allow' | 'deny' | undefined;
  readonly session_id?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

/** Which spends to list: accepted at `from` or later, and before `to`. */
export type OwnerSpendFilter = {
  readonly session_id?: string | undefined;
  readonly status?: ListedSpend['status'] | undefined;
  readonly kind?: ListedSpend['kind'] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

/**
 * What an owner does with a wallet's key. Amounts are base units of USDC, as bigint.
 *
 * A method that returns a transaction has decoded it and compared it with what was asked: fee payer,
 * signers, instructions, every account, every argument, a near deadline. It throws
 * `TRANSACTION_MISMATCH` with the first difference otherwise. Every method throws an
 * `AgentWalletError` for a refusal, and the signal's reason when it is aborted.
 */
export type OwnerClient = {
  /**
   * What the API says of its deployment, also before the sign-in. Its addresses are not used for
   * what the owner signs.
   */
  config(options?: OwnerCallOptions): Promise<Config>;
  /** Signs in with the wallet's signature of a text. Throws `SIGN_IN_MISMATCH` for another text. */
  signIn(options?: OwnerCallOptions): Promise<SignedIn>;
  signOut(options?: OwnerCallOptions): Promise<void>;
  /** One wallet per owner; until its vault is on chain, a repeated call returns it again. */
  createWallet(
    settings?: { readonly max_deployed_fraction_bp?: number },
    options?: OwnerCallOptions,
  ): Promise<{
    readonly wallet_id: string;
    readonly vaultPda: string;
    readonly vaultUsdcAta: string;
    readonly transaction: OwnerTransaction;
  }>;
  /** Throws `ADDRESS_MISMATCH` when an address is not the derived one. */
  wallet(options?: OwnerCallOptions): Promise<Wallet>;
  /** Throws `ADDRESS_MISMATCH` when the address or the mint is not the expected one. */
  depositAddress(options?: OwnerCallOptions): Promise<DepositAddress>;
  policy(options?: OwnerCallOptions): Promise<Policy>;
  /** Replaces the off-chain rules; no transaction. */
  setPolicy(policy: PolicyRequest, options?: OwnerCallOptions): Promise<Policy>;
  /**
   * With an `rpcUrl` the session's index is compared with the chain: a later one could be held back
   * and used as a second session.
   */
  createSession(
    request: SessionRequest,
    options?: OwnerCallOptions & {
      /** A repeated call with the same key returns the same session, without its API key. */
      readonly idempotencyKey?: string;
    },
  ): Promise<CreatedSession>;
  /** Newest first, at most 500. */
  sessions(options?: OwnerCallOptions): Promise<readonly Session[]>;
  session(id: string, options?: OwnerCallOptions): Promise<Session>;
  /**
   * The most that a stolen key of the session could move, with and without regard to the vault's
   * holdings, by the API. `worstCase` computes it from a session without a request.
   */
  sessionBlastRadius(id: string, options?: OwnerCallOptions): Promise<SessionBlastRadius>;
  /** The same for all session keys together: the worst case of a compromised backend. */
  walletBlastRadius(options?: OwnerCallOptions): Promise<WalletBlastRadius>;
  /** All limits are given: the API would choose those left out, and nothing could check them. */
  changeLimits(
    session: NamedSession,
    limits: SessionLimits,
    options?: OwnerCallOptions,
  ): Promise<OwnerTransaction>;
  changeRecipients(
    session: NamedSession,
    recipients: readonly string[],
    options?: OwnerCallOptions,
  ): Promise<OwnerTransaction>;
  /**
   * Those of at most 100 wallet addresses that have no USDC token account, and so cannot be paid
   * yet. Reads `rpcUrl`, not the API; throws `BAD_REQUEST` without one and `NO_REPLY` when it does
   * not say.
   */
  recipientsWithoutAccount(
    recipients: readonly string[],
    options?: OwnerCallOptions,
  ): Promise<readonly string[]>;
  /** A new key for the agent; the old one is refused at once. No transaction. */
  rotateKey(sessionId: string, options?: OwnerCallOptions): Promise<RotatedKey>;
  revoke(session: NamedSession, options?: OwnerCallOptions): Promise<OwnerTransaction>;
  /** While paused, no session can spend; the owner can still withdraw. */
  pause(options?: OwnerCallOptions): Promise<OwnerTransaction>;
  resume(options?: OwnerCallOptions): Promise<OwnerTransaction>;
  withdraw(withdrawal: Withdrawal, options?: OwnerCallOptions): Promise<OwnerTransaction>;
  /**
   * What is deployed to the reserve, what it has earned, and what yield has earned over the life of
   * the wallet; null where that cannot be read.
   */
  yieldPosition(options?: OwnerCallOptions): Promise<WalletYield>;
  /** To the yield reserve of `deployment`. */
  yieldDeposit(
    deposit: { readonly amount: bigint },
    options?: OwnerCallOptions,
  ): Promise<OwnerTransaction>;
  /**
   * From the yield reserve to the vault; `'all'` is as much of the position as the reserve can pay
   * now. Throws `PARTIAL_LIQUIDITY`, with `details.available`, for more than it can pay.
   */
  yieldWithdraw(
    withdrawal: { readonly amount: bigint | 'all' },
    options?: OwnerCallOptions,
  ): Promise<OwnerTransaction>;
  /** The largest share of the wallet that may be deployed, in basis points. */
  setMaxDeployedFraction(bp: number, options?: OwnerCallOptions): Promise<OwnerTransaction>;
  /** The decisions, newest first; read page by page. */
  audit(filter?: AuditFilter, options?: OwnerCallOptions): AsyncIterable<AuditItem>;
  /** The spends of all sessions, newest first, pending ones too; read page by page. */
  spends(filter?: OwnerSpendFilter, options?: OwnerCallOptions): AsyncIterable<ListedSpend>;
  /** URLs that get signed events. */
  readonly webhooks: OwnerWebhooks;
};
