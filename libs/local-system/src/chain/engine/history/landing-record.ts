/** A landed transaction as bytes. */

import { deserialize, serialize } from 'node:v8';
import type { Landing, LandedTransaction } from './landed-transaction.ts';
import { parseTransaction } from '../transactions/wire-transaction.ts';

/** What a landing does not say by itself. The transaction is its wire format. */
type Details = Omit<LandedTransaction, keyof Landing | 'transaction'> & {
  readonly wire: Uint8Array;
};

export function packLanding(landed: LandedTransaction): Uint8Array {
  const { transaction, loaded, execution, feeLamports } = landed;
  const { preBalances, postBalances, preTokenBalances, postTokenBalances } = landed;
  const balances = { preBalances, postBalances, preTokenBalances, postTokenBalances };
  const { wire } = transaction;
  const details: Details = { wire, loaded, execution, feeLamports, ...balances };
  return serialize(details);
}

export function unpackLanding(landing: Landing, record: Uint8Array): LandedTransaction {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- packed above; a file of another version is not read
  const { wire, ...details } = deserialize(record) as Details;
  return { ...landing, ...details, transaction: parseTransaction(wire) };
}
