import bs58 from 'bs58';
import type { TokenBalance } from '../accounts/token-balances.ts';
import type { TransactionError } from '../transactions/transaction-error.ts';
import type { WireTransaction } from '../transactions/wire-transaction.ts';

export type InnerInstruction = {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
  readonly stackHeight: number;
};

/** The calls that programs made within the top-level instruction `index`. */
export type InnerInstructions = {
  readonly index: number;
  readonly instructions: readonly InnerInstruction[];
};

export type ReturnData = { readonly programId: string; readonly data: Uint8Array };

/** What the execution of a transaction showed. */
export type Execution = {
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  readonly inner: readonly InnerInstructions[];
  readonly unitsConsumed: number;
  readonly returnData: ReturnData | null;
};

/** Addresses that a message took from lookup tables. */
export type LoadedAddresses = {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
};

/** What a list of landings shows of one. */
export type Landing = {
  /** The first signature, base58: the name of the transaction. */
  readonly signature: string;
  /** Counts the landings of the chain: a later landing has a higher number. */
  readonly sequence: number;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly err: TransactionError | null;
  readonly memo: string | null;
};

/** A transaction in a block. */
export type LandedTransaction = Landing & {
  readonly transaction: WireTransaction;
  readonly loaded: LoadedAddresses;
  readonly execution: Execution;
  readonly feeLamports: number;
  /** Of each account of the message, in its order, then of the loaded ones. */
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
};

/** The first signature, base58. */
export function signatureOf({ signatures }: WireTransaction): string {
  const [first] = signatures;
  if (first === undefined) throw new TypeError('a transaction has at least one signature');
  return bs58.encode(first);
}
