import {
  createOwnerTransactions,
  createWalletProgram,
  type Reserve,
  type ReserveState,
  type SessionState,
  type VaultState,
} from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import { emptySpendWindow } from '@agent-wallet/policy';
import { type ChainAccess, createChainAccess } from '../src/chain/chain-access.ts';

/** A reserve from which nobody has borrowed, and for which nobody would pay. */
export const NO_INTEREST: ReserveState['interest'] = {
  updatedSlot: 0n,
  borrowedScaled: 0n,
  curve: [],
  fixedRateBp: 0n,
};

export const PROGRAM_ID = 'Stake11111111111111111111111111111111111111';
export const USDC_MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

/** A chain that shows what a test puts there, under the real addresses and transactions. */
export type FakeChain = Omit<ChainAccess, 'yieldReserve'> & {
  yieldReserve: Reserve | null;
  /** What the reserve's account says; null: it cannot be read. */
  reserveState: ReserveState | null;
  /** Units of collateral, by vault. */
  readonly collateral: Map<string, bigint>;
  slot: bigint;
  isDown: boolean;
  readonly vaults: Map<string, VaultState>;
  readonly liquid: Map<string, bigint>;
  readonly sessions: Map<string, SessionState>;
  readonly tokenAccounts: Set<string>;
  /** Addresses without a USDC token account of their own. */
  readonly poor: Set<string>;
  /** Owners of USDC token accounts, by address. */
  readonly usdcAccounts: Map<string, string>;
  readonly addVault: (owner: string, liquid: bigint) => void;
};

export function createFakeChain(): FakeChain {
  const program = createWalletProgram({ programId: PROGRAM_ID, usdcMint: USDC_MINT });
  const answer = <T>(value: T): Promise<T> =>
    chain.isDown
      ? Promise.reject(new AppError('RPC_UNAVAILABLE', { method: 'fake' }))
      : Promise.resolve(value);
  const transactions = createOwnerTransactions(program, () =>
    answer({ blockhash: '11111111111111111111111111111111' }),
  );
  const real = createChainAccess({
    program,
    yieldReserve: null,
    transactions,
    checkReachable: () => answer(undefined),
    readAccounts: () => Promise.reject(new Error('the fake chain answers by itself')),
  });
  const chain: FakeChain = {
    ...real,
    yieldReserve: null,
    reserveState: null,
    collateral: new Map(),
    slot: 1_000n,
    isDown: false,
    vaults: new Map(),
    liquid: new Map(),
    sessions: new Map(),
    tokenAccounts: new Set(),
    usdcAccounts: new Map(),
    poor: new Set(),
    readWallet: ({ vaultPda }, sessionPdas) =>
      answer({
        slot: chain.slot,
        vault: chain.vaults.get(vaultPda) ?? null,
        liquid: chain.liquid.get(vaultPda) ?? 0n,
        sessions: sessionPdas.map((pda) => chain.sessions.get(pda) ?? null),
      }),
    readPosition: async (wallet, sessionPdas) => {
      const facts = await chain.readWallet(wallet, sessionPdas);
      const { yieldReserve, reserveState: reserve } = chain;
      if (yieldReserve === null || reserve === null) return { ...facts, yield: null };
      return {
        ...facts,
        yield: { reserve, collateral: chain.collateral.get(wallet.vaultPda) ?? 0n },
      };
    },
    findTokenAccounts: (addresses) =>
      answer(new Set(addresses.filter((address) => chain.tokenAccounts.has(address)))),
    hasUsdcAccount: (owner) => answer(!chain.poor.has(owner)),
    isUsdcAccountOf: (address, owner) => answer(chain.usdcAccounts.get(address) === owner),
    addVault: (owner, liquid) => {
      const { vaultPda, vaultUsdcAta } = real.addressesOf(owner);
      chain.liquid.set(vaultPda, liquid);
      chain.vaults.set(vaultPda, {
        owner,
        maxDeployedFractionBp: 0,
        deployedAmount: 0n,
        paused: false,
        sessionsCreated: 0n,
        vaultTokenAccount: vaultUsdcAta,
      });
    },
  };
  return chain;
}

/** A session as the program would store it after add_session. */
export function sessionState(fields: Partial<SessionState>): SessionState {
  return {
    vault: PROGRAM_ID,
    sessionPubkey: PROGRAM_ID,
    index: 0n,
    maxPerTx: 1_000_000n,
    dailyCap: 5_000_000n,
    expiry: 4_000_000_000n,
    allowedInstructions: 1,
    recipients: [],
    dailySpent: 0n,
    dailyWindowStart: 0n,
    window: emptySpendWindow(),
    replay: { highestSeq: 0n, bitmap: [0n, 0n, 0n, 0n] },
    ...fields,
  };
}
