import { createOwnerTransactions, type OwnerTransactions } from '@agent-wallet/chain';
import { Transaction } from '@solana/web3.js';
import type { Signer } from './held.ts';

const MOST_SECONDS = 600;
/** The clock of the machine is the clock of the chain, to a second or two. */
const TOLERANCE_SECONDS = 5;

/** The time at which the owner signed what has just become too old. */
export const tooOldMs = (): number => Date.now() - (MOST_SECONDS + TOLERANCE_SECONDS) * 1_000;

/** What the api built at that time. */
export function tooOldTransactions({ target }: Signer): OwnerTransactions {
  const { program, rpc } = target.fixture;
  return createOwnerTransactions(program, () => rpc.latestBlockhash(), tooOldMs);
}

/** Null when the deadline of an unsigned transaction is near; else how long it is good for. */
export function isGoodForTooLong(txBase64: string): string | null {
  const left = Number(deadlineOf(txBase64)) - Date.now() / 1_000;
  return left <= MOST_SECONDS + TOLERANCE_SECONDS ? null : `is good for ${left} seconds`;
}

/** The last argument of the program's instruction, which is the last of its transaction. */
function deadlineOf(txBase64: string): bigint {
  const { instructions } = Transaction.from(Buffer.from(txBase64, 'base64'));
  const data = instructions.at(-1)?.data ?? Buffer.alloc(8);
  return data.readBigInt64LE(data.length - 8);
}
