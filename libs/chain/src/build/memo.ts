/** The memo of a payment that a facilitator sends, by which the service identifies it. */

import { TransactionInstruction } from '@solana/web3.js';

import { publicKeyOf } from '../program/addresses.ts';

export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/**
 * The current memo program uses about 500 units for 256 bytes, measured. Older ones print the memo
 * character by character; by their documentation 566 plain bytes fit into 200 000 units.
 */
const BASE_UNITS = 2_000;
const UNITS_PER_BYTE = 1_000;

/** An instruction without accounts: the text has no signer. */
export function memoInstruction(text: string): TransactionInstruction {
  return new TransactionInstruction({
    programId: publicKeyOf(MEMO_PROGRAM),
    keys: [],
    data: Buffer.from(text, 'utf8'),
  });
}

/** Upper bound of its compute units. */
export function memoUnitLimit(text: string): number {
  return BASE_UNITS + UNITS_PER_BYTE * Buffer.byteLength(text, 'utf8');
}
