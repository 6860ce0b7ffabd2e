import type { AccountsAtSlot } from '@agent-wallet/chain';
import { createBatches } from '../batches.ts';

type ReadAccounts = (addresses: readonly string[]) => Promise<AccountsAtSlot>;

/** Maximum number of addresses in one call of getMultipleAccounts. */
const ADDRESSES_PER_CALL = 100;
/** RPC calls at once. A slow one must not hold up every caller. */
const CALLS_AT_ONCE = 2;
const ONE_QUEUE = '';

/**
 * Reads at once, or, while reads are under way, together with all callers who wait. All addresses
 * of a caller are read at one slot, and never by a call that began before the caller's request. A
 * call waits `windowMs` for further callers.
 */
export function createAccountsReader(read: ReadAccounts, windowMs: number): ReadAccounts {
  const batched = createBatches<readonly string[], AccountsAtSlot>({
    run: (callers) => readFor(callers, read),
    concurrency: CALLS_AT_ONCE,
    maxWeight: ADDRESSES_PER_CALL,
    weightOf: ({ length }) => length,
    collectMs: windowMs,
  });
  return (addresses) => batched(ONE_QUEUE, addresses);
}

async function readFor(
  callers: readonly (readonly string[])[],
  read: ReadAccounts,
): Promise<readonly AccountsAtSlot[]> {
  const distinct = [...new Set(callers.flat())];
  const { slot, accounts } = await read(distinct);
  const byAddress = new Map(distinct.map((address, place) => [address, accounts[place] ?? null]));
  return callers.map((addresses) => ({
    slot,
    accounts: addresses.map((address) => byAddress.get(address) ?? null),
  }));
}
