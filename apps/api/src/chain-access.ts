import {
  type AccountsAtSlot,
  type OwnerTransactions,
  type SessionState,
  isTokenAccountOf,
  tokenAmountOf,
  type VaultState,
  type WalletProgram,
} from '@agent-wallet/chain';

/** What the api knows of one wallet from one answer of the chain. */
export type WalletFacts = {
  /** Slot of the whole answer. */
  readonly slot: bigint;
  readonly vault: VaultState | null;
  /** USDC base units in the vault's token account; 0 when there is no such account. */
  readonly liquid: bigint;
  /** In the order asked for. */
  readonly sessions: readonly (SessionState | null)[];
};

export type WalletAddresses = { readonly vaultPda: string; readonly vaultUsdcAta: string };

/** All that the api asks of the chain. Each call throws RPC_UNAVAILABLE when the chain is away. */
export type ChainAccess = {
  readonly usdcMint: string;
  /** The wallet's addresses; pure. */
  readonly addressesOf: (
    owner: string,
  ) => WalletAddresses & { readonly yieldPda: string; readonly ownerUsdcAta: string };
  readonly sessionPda: (vaultPda: string, sessionPubkey: string) => string;
  readonly readWallet: (
    wallet: WalletAddresses,
    sessionPdas: readonly string[],
  ) => Promise<WalletFacts>;
  /** Those of `addresses` that are token accounts or mints. */
  readonly findTokenAccounts: (addresses: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Whether the associated USDC token account of `owner` exists. */
  readonly hasUsdcAccount: (owner: string) => Promise<boolean>;
  /** Whether `address` is a USDC token account that belongs to `owner`. */
  readonly isUsdcAccountOf: (address: string, owner: string) => Promise<boolean>;
  /** Passes when an owner transaction could be built now. */
  readonly checkReachable: () => Promise<void>;
  readonly transactions: OwnerTransactions;
};

const TOKEN_PROGRAMS = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);

/** Reads through `readAccounts` (at `confirmed`), which may put several callers into one call. */
export function createChainAccess(deps: {
  readonly program: WalletProgram;
  readonly transactions: ChainAccess['transactions'];
  readonly checkReachable: () => Promise<void>;
  readonly readAccounts: (addresses: readonly string[]) => Promise<AccountsAtSlot>;
}): ChainAccess {
  const { program, readAccounts } = deps;
  const isUsdcAccountOf = async (address: string, owner: string): Promise<boolean> => {
    const { accounts } = await readAccounts([address]);
    return isTokenAccountOf(accounts[0] ?? null, owner, program.usdcMint);
  };
  return {
    usdcMint: program.usdcMint,
    addressesOf: (owner) => {
      const vaultPda = program.addresses.vaultPda(owner);
      const vaultUsdcAta = program.addresses.usdcAta(vaultPda);
      const yieldPda = program.addresses.yieldPda(vaultPda);
      return { vaultPda, vaultUsdcAta, yieldPda, ownerUsdcAta: program.addresses.usdcAta(owner) };
    },
    sessionPda: (vaultPda, sessionPubkey) => program.addresses.sessionPda(vaultPda, sessionPubkey),
    readWallet: async ({ vaultPda, vaultUsdcAta }, sessionPdas) => {
      const answer = await readAccounts([vaultPda, vaultUsdcAta, ...sessionPdas]);
      const [vault = null, ata = null, ...sessions] = answer.accounts;
      return {
        slot: answer.slot,
        vault: vault === null ? null : program.decodeVault(vault),
        liquid: tokenAmountOf(ata),
        sessions: sessions.map((account) =>
          account === null ? null : program.decodeSession(account),
        ),
      };
    },
    findTokenAccounts: async (addresses) => {
      if (addresses.length === 0) return new Set();
      const { accounts } = await readAccounts(addresses);
      const found = accounts.filter(
        (account) => account !== null && TOKEN_PROGRAMS.has(account.owner),
      );
      return new Set(found.flatMap((account) => (account === null ? [] : [account.address])));
    },
    hasUsdcAccount: (owner) => isUsdcAccountOf(program.addresses.usdcAta(owner), owner),
    isUsdcAccountOf,
    checkReachable: deps.checkReachable,
    transactions: deps.transactions,
  };
}
