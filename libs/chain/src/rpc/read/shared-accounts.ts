/** Account reads of many callers in one call. */

import { createBatches } from '@agent-wallet/batches';

import type { AccountsAtSlot } from './chain-reads.ts';
import type { Rpc } from '../rpc.ts';

/**
 * Reads accounts at `confirmed`, all of one slot and none older than the request. Rejects with
 * RPC_UNAVAILABLE when the shared read failed.
 */
export type ReadAccounts = (addresses: readonly string[]) => Promise<AccountsAtSlot>;

/** The most accounts that nodes accept in one call. */
const ACCOUNTS_PER_CALL = 100;
/** A call that hangs must not hold up every caller. */
const CALLS_AT_ONCE = 4;
const ONE_QUEUE = '';

/**
 * Reads at once, or, while calls are under way, together with all callers who wait. The accounts of
 * one request are never spread over two calls, and never read by a call that began before the
 * request. A call waits `windowMs` for further requests; by default until the end of the tick.
 */
export function createSharedAccounts(
  rpc: Pick<Rpc, 'accounts'>,
  { windowMs = 0 }: { readonly windowMs?: number } = {},
): ReadAccounts {
  const batched = createBatches<readonly string[], AccountsAtSlot>({
    run: (requests) => readTogether(rpc, requests),
    concurrency: CALLS_AT_ONCE,
    maxWeight: ACCOUNTS_PER_CALL,
    weightOf: ({ length }) => length,
    collectMs: windowMs,
  });
  return (addresses) => batched(ONE_QUEUE, addresses);
}

async function readTogether(
  rpc: Pick<Rpc, 'accounts'>,
  requests: readonly (readonly string[])[],
): Promise<readonly AccountsAtSlot[]> {
  const distinct = [...new Set(requests.flat())];
  const { slot, accounts } = await rpc.accounts(distinct, { commitment: 'confirmed' });
  const byAddress = new Map(distinct.map((address, place) => [address, accounts[place] ?? null]));
  return requests.map((addresses) => ({
    slot,
    accounts: addresses.map((address) => byAddress.get(address) ?? null),
  }));
}
