/** The memo beside a payment that a facilitator sends: it tells the service which one it is. */

import { PublicKey, TransactionInstruction } from '@solana/web3.js';

export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/**
 * The program of today takes some 500 units for 256 bytes, measured; those before it print the memo
 * character by character, and fitted 566 plain bytes into 200 000 units by their documentation.
 */
const BASE_UNITS = 2_000;
const UNITS_PER_BYTE = 1_000;

/** An instruction without accounts: nobody signs for the text. */
export function memoInstruction(text: string): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(MEMO_PROGRAM),
    keys: [],
    data: Buffer.from(text, 'utf8'),
  });
}

/** What it may use at most. */
export function memoUnitLimit(text: string): number {
  return BASE_UNITS + UNITS_PER_BYTE * Buffer.byteLength(text, 'utf8');
}
