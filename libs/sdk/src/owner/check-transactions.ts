import { badRequest } from '../http/read-url.ts';
import type { Clock, TimeLimit } from '../http/time-limit.ts';
import { fromBase64 } from './chain/base64.ts';
import type { ChainNode } from './chain/chain-node.ts';
import {
  type Deployment,
  deriveAddresses,
  type OwnerAddresses,
  type Reserve,
  sessionPdaOf,
  tokenAccountOf,
} from './transaction/addresses.ts';
import { compareTransaction } from './transaction/compare-transaction.ts';
import {
  createExpectations,
  type Expectations,
  type ExpectedSession,
  type YieldAccounts,
} from './transaction/expect-transaction.ts';
import type {
  DecodedInstruction,
  ExpectedInstruction,
} from './transaction/expected-instruction.ts';
import { mismatch } from './transaction/mismatch.ts';
import { readTransaction } from './transaction/read-transaction.ts';

/** A transaction that does what was asked. */
export type Checked = {
  readonly bytes: Uint8Array;
  readonly instructions: readonly DecodedInstruction[];
};

/** The checks of one owner's transactions; all addresses are derived. */
export type TransactionChecks = {
  addresses(): Promise<OwnerAddresses>;
  expectations(): Promise<Expectations>;
  session(pubkey: string, index: bigint | null): Promise<ExpectedSession>;
  /** Throws `TRANSACTION_MISMATCH`. */
  check(txBase64: string, expected: readonly ExpectedInstruction[]): Checked;
  /** The creation of a vault, which may prepare it for yield if some of it may be deployed. */
  checkInitVault(txBase64: string, maxDeployedFractionBp: number): Promise<Checked>;
  /** The change of the share, which may prepare the vault for yield first. */
  checkMaxDeployedFraction(txBase64: string, bp: number): Promise<Checked>;
  /** The reserve of the deployment. Throws `BAD_REQUEST` where it names none. */
  reserve(): Promise<Reserve & YieldAccounts>;
};

/** Of the instruction that prepares a vault for yield. */
const COLLATERAL_MINT_AT = 6;

/** Derives nothing before it is used. */
export function createTransactionChecks(
  deployment: Deployment,
  owner: string,
  timeOfDayMs: () => number,
): TransactionChecks {
  let derived: Promise<OwnerAddresses> | undefined;
  const addresses = () => (derived ??= deriveAddresses(deployment, owner));
  const expectations = async () => createExpectations(deployment, await addresses());
  const check = (txBase64: string, instructions: readonly ExpectedInstruction[]): Checked => {
    const bytes = fromBase64(txBase64);
    const expected = { owner, instructions, nowMs: timeOfDayMs() };
    return { bytes, instructions: compareTransaction(readTransaction(bytes), expected) };
  };

  const yieldAccountsOf = async (collateralMint: string): Promise<YieldAccounts> => ({
    collateralMint,
    collateralAta: await tokenAccountOf((await addresses()).yieldAuthority, collateralMint),
  });

  /**
   * The accounts for yield in a transaction that prepares a vault; null in one that does not. Where
   * the deployment names no reserve, its mint is the transaction's: the program takes no other, and
   * the token account is derived from it.
   */
  async function yieldAccountsIn(txBase64: string, place: 0 | 1): Promise<YieldAccounts | null> {
    const { instructions } = readTransaction(fromBase64(txBase64));
    if (instructions.length === 1) return null;
    const named = instructions[place]?.accounts[COLLATERAL_MINT_AT];
    const collateralMint = deployment.reserve?.collateralMint ?? named;
    return collateralMint === undefined ? null : yieldAccountsOf(collateralMint);
  }

  return {
    addresses,
    expectations,
    check,
    session: async (pubkey, index) => ({
      pda: await sessionPdaOf(deployment, (await addresses()).vault, pubkey),
      index,
    }),
    checkInitVault: async (txBase64, bp) => {
      const yieldAccounts = bp === 0 ? null : await yieldAccountsIn(txBase64, 1);
      return check(txBase64, (await expectations()).initVault(bp, yieldAccounts));
    },
    checkMaxDeployedFraction: async (txBase64, bp) => {
      const yieldAccounts = bp === 0 ? null : await yieldAccountsIn(txBase64, 0);
      return check(txBase64, (await expectations()).setMaxDeployedFraction(bp, yieldAccounts));
    },
    reserve: async () => {
      const { reserve } = deployment;
      if (reserve === undefined) throw badRequest('deployment.reserve must be given for yield');
      return { ...reserve, ...(await yieldAccountsOf(reserve.collateralMint)) };
    },
  };
}

const READS = 20;
const READ_PAUSE_MS = 500;

/**
 * Compares the index of a new session with the vault's next one. An earlier index can never pass; a
 * later one could be held back until it does. Waits for a node that is behind the API's.
 */
export async function checkNextIndex(
  { vault, index }: { readonly vault: string; readonly index: bigint },
  deps: { readonly node: ChainNode; readonly clock: Clock; readonly limit: TimeLimit },
): Promise<void> {
  let next: bigint | null = null;
  for (let reads = 0; reads < READS; reads += 1) {
    next = await deps.node.nextSessionIndex(vault, deps.limit);
    if (next !== null && next >= index) return;
    if (deps.limit.remainingMs() <= READ_PAUSE_MS) break;
    await deps.clock.sleep(READ_PAUSE_MS, deps.limit.signal);
  }
  const found = next === null ? 'which cannot be read from rpcUrl' : `which is ${next}`;
  throw mismatch(
    'add_session: session_index',
    `is ${index}, later than the vault's next, ${found}`,
  );
}
