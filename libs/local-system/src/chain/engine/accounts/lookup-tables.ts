/** Addresses that version 0 messages take from lookup tables. */

import type { AccountState } from './account-state.ts';
import { addressOf } from './addresses.ts';
import type { LoadedAddresses } from '../history/landed-transaction.ts';
import type { WireLookup } from '../transactions/wire-transaction.ts';

const HEADER_BYTES = 56;
const KEY_BYTES = 32;
const NONE: LoadedAddresses = { writable: [], readonly: [] };

/** Unknown tables and indices are left out: the machine refuses such a transaction. */
export function loadAddresses(
  lookups: readonly WireLookup[],
  newest: (address: string) => AccountState | null,
): LoadedAddresses {
  if (lookups.length === 0) return NONE;
  const load = (table: string, indices: Uint8Array): string[] => {
    const data = newest(table)?.data ?? new Uint8Array();
    return [...indices]
      .map((index) => data.subarray(HEADER_BYTES + index * KEY_BYTES).subarray(0, KEY_BYTES))
      .filter((key) => key.length === KEY_BYTES)
      .map(addressOf);
  };
  return {
    writable: lookups.flatMap(({ table, writable }) => load(table, writable)),
    readonly: lookups.flatMap(({ table, readonly }) => load(table, readonly)),
  };
}
