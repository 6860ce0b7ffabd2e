import type { AccountState } from '../accounts/account-state.ts';
import type { LoadedAddresses } from '../history/landed-transaction.ts';
import { loadAddresses } from '../accounts/lookup-tables.ts';
import type { WireTransaction } from './wire-transaction.ts';

/** A transaction with the addresses of all its accounts. */
export type LocatedTransaction = {
  readonly transaction: WireTransaction;
  readonly loaded: LoadedAddresses;
  /** In the order of their indices. */
  readonly keys: readonly string[];
};

export function locate(
  transaction: WireTransaction,
  newest: (address: string) => AccountState | null,
): LocatedTransaction {
  const loaded = loadAddresses(transaction.message.lookups, newest);
  return { transaction, loaded, keys: accountKeysOf({ transaction, loaded }) };
}

/** All accounts of a transaction, in the order of their indices. */
export function accountKeysOf({
  transaction,
  loaded,
}: Omit<LocatedTransaction, 'keys'>): readonly string[] {
  const { keys } = transaction.message;
  if (loaded.writable.length === 0 && loaded.readonly.length === 0) return keys;
  return [...keys, ...loaded.writable, ...loaded.readonly];
}

/** The address of the account with that index. */
export function keyAt(keys: readonly string[], index: number): string {
  const key = keys[index];
  if (key === undefined) throw new RangeError(`there is no account ${index}`);
  return key;
}
