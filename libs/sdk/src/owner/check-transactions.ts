import type { Clock, TimeLimit } from '../http/time-limit.ts';
import { fromBase64 } from './chain/base64.ts';
import type { ChainNode } from './chain/chain-node.ts';
import {
  type Deployment,
  deriveAddresses,
  type OwnerAddresses,
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

  /**
   * The API knows the reserve's mint, and the program takes no other: its token account is derived
   * from it.
   */
  async function yieldAccountsIn(txBase64: string): Promise<YieldAccounts | null> {
    const [, second] = readTransaction(fromBase64(txBase64)).instructions;
    const collateralMint = second?.accounts[COLLATERAL_MINT_AT];
    if (collateralMint === undefined) return null;
    const { yieldAuthority } = await addresses();
    return { collateralMint, collateralAta: await tokenAccountOf(yieldAuthority, collateralMint) };
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
      const yieldAccounts = bp === 0 ? null : await yieldAccountsIn(txBase64);
      return check(txBase64, (await expectations()).initVault(bp, yieldAccounts));
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
