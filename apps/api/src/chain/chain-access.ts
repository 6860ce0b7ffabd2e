import {
  type AccountsAtSlot,
  decodeReserve,
  type OwnerTransactions,
  type Reserve,
  type ReserveState,
  type SessionState,
  isTokenAccountOf,
  tokenAmountOf,
  type VaultState,
  type WalletProgram,
} from '@agent-wallet/chain';

/** The state of one wallet, read at one slot. */
export type WalletFacts = {
  readonly slot: bigint;
  readonly vault: VaultState | null;
  /** USDC base units in the vault's token account; 0 when there is no such account. */
  readonly liquid: bigint;
  /** In the order of the requested addresses; null for a missing account. */
  readonly sessions: readonly (SessionState | null)[];
};

/** The same, with the vault's position in the yield reserve at that slot. */
export type PositionFacts = WalletFacts & {
  /** Units of collateral that the vault holds; 0 while yield is switched off. */
  readonly collateral: bigint;
  /** Null while yield is switched off, and when the reserve is not on chain. */
  readonly yield: { readonly reserve: ReserveState; readonly collateral: bigint } | null;
};

export type WalletAddresses = { readonly vaultPda: string; readonly vaultUsdcAta: string };

/** The api's reads of the chain. Each one throws RPC_UNAVAILABLE when the chain is unavailable. */
export type ChainAccess = {
  readonly usdcMint: string;
  /** The yield reserve; null while yield is switched off. */
  readonly yieldReserve: Reserve | null;
  /** The wallet's addresses; pure. */
  readonly addressesOf: (
    owner: string,
  ) => WalletAddresses & { readonly yieldPda: string; readonly ownerUsdcAta: string };
  readonly sessionPda: (vaultPda: string, sessionPubkey: string) => string;
  readonly readWallet: (
    wallet: WalletAddresses,
    sessionPdas: readonly string[],
  ) => Promise<WalletFacts>;
  readonly readPosition: (
    wallet: WalletAddresses,
    sessionPdas: readonly string[],
  ) => Promise<PositionFacts>;
  /** Those of `addresses` that are token accounts or mints. */
  readonly findTokenAccounts: (addresses: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Whether the associated USDC token account of `owner` exists. */
  readonly hasUsdcAccount: (owner: string) => Promise<boolean>;
  /** Whether `address` is a USDC token account that belongs to `owner`. */
  readonly isUsdcAccountOf: (address: string, owner: string) => Promise<boolean>;
  /** Resolves when an owner transaction could be built now. */
  readonly checkReachable: () => Promise<void>;
  readonly transactions: OwnerTransactions;
};

const TOKEN_PROGRAMS = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);

/** Reads through `readAccounts` at commitment `confirmed`; it may batch several callers. */
export function createChainAccess(deps: {
  readonly program: WalletProgram;
  readonly yieldReserve: Reserve | null;
  readonly transactions: ChainAccess['transactions'];
  readonly checkReachable: () => Promise<void>;
  readonly readAccounts: (addresses: readonly string[]) => Promise<AccountsAtSlot>;
}): ChainAccess {
  const { program, yieldReserve, readAccounts } = deps;
  const readWallet = async (
    { vaultPda, vaultUsdcAta }: WalletAddresses,
    sessionPdas: readonly string[],
    others: readonly string[] = [],
  ) => {
    const answer = await readAccounts([vaultPda, vaultUsdcAta, ...sessionPdas, ...others]);
    const [vault = null, ata = null, ...rest] = answer.accounts;
    const facts: WalletFacts = {
      slot: answer.slot,
      vault: vault === null ? null : program.decodeVault(vault),
      liquid: tokenAmountOf(ata),
      sessions: rest
        .slice(0, sessionPdas.length)
        .map((account) => (account === null ? null : program.decodeSession(account))),
    };
    return { facts, others: rest.slice(sessionPdas.length) };
  };
  const isUsdcAccountOf = async (address: string, owner: string): Promise<boolean> => {
    const { accounts } = await readAccounts([address]);
    return isTokenAccountOf(accounts[0] ?? null, owner, program.usdcMint);
  };
  return {
    usdcMint: program.usdcMint,
    yieldReserve,
    addressesOf: (owner) => {
      const vaultPda = program.addresses.vaultPda(owner);
      const vaultUsdcAta = program.addresses.usdcAta(vaultPda);
      const yieldPda = program.addresses.yieldPda(vaultPda);
      return { vaultPda, vaultUsdcAta, yieldPda, ownerUsdcAta: program.addresses.usdcAta(owner) };
    },
    sessionPda: (vaultPda, sessionPubkey) => program.addresses.sessionPda(vaultPda, sessionPubkey),
    readWallet: async (wallet, sessionPdas) => (await readWallet(wallet, sessionPdas)).facts,
    readPosition: async (wallet, sessionPdas) => {
      const addresses = yieldReserve === null ? [] : yieldAddresses(program, yieldReserve, wallet);
      const { facts, others } = await readWallet(wallet, sessionPdas, addresses);
      const [account = null, tokens = null] = others;
      const collateral = tokenAmountOf(tokens);
      const reserve =
        yieldReserve === null || account === null ? null : decodeReserve(yieldReserve, account);
      return { ...facts, collateral, yield: reserve === null ? null : { reserve, collateral } };
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

/** Addresses of the reserve and of the vault's collateral account. */
function yieldAddresses(
  { addresses }: WalletProgram,
  { reserve, collateralMint }: Reserve,
  { vaultPda }: WalletAddresses,
): readonly string[] {
  return [reserve, addresses.ata(addresses.yieldPda(vaultPda), collateralMint)];
}
