/** Transactions as callers send them: text in base58 or base64. */

import bs58 from 'bs58';
import { z } from 'zod';
import { parseTransaction, type WireTransaction } from '../engine/transactions/wire-transaction.ts';
import { MalformedTransaction } from '../engine/transactions/wire-reader.ts';
import {
  describeTransactionError,
  type TransactionError,
} from '../engine/transactions/transaction-error.ts';
import { invalidParams } from './rpc-error.ts';

export const transactionEncoding = z.enum(['base58', 'base64']).nullish();

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Throws -32602 when the text is not a transaction. Base58 without an encoding, as on a node. */
export function readTransactionParam(
  text: string,
  encoding: z.output<typeof transactionEncoding>,
): WireTransaction {
  try {
    return parseTransaction(decode(text, encoding ?? 'base58'));
  } catch (error) {
    if (!(error instanceof MalformedTransaction)) throw error;
    throw invalidParams(`failed to deserialize the transaction: ${error.message}`);
  }
}

/** Throws -32602 when the text is not in that encoding. */
export function decode(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  if (encoding === 'base58') {
    const bytes = bs58.decodeUnsafe(text);
    if (bytes === undefined) throw invalidParams('invalid base58 encoding');
    return bytes;
  }
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw invalidParams('invalid base64 encoding');
  return Buffer.from(text, 'base64');
}

/** Throws -32602 when the addresses of the message could not be read: a node asks for them first. */
export function refuseUnreadable(err: TransactionError | null): void {
  if (typeof err !== 'string' || !err.includes('AddressLookupTable')) return;
  throw invalidParams(`invalid transaction: ${describeTransactionError(err)}`);
}
