/** Account reads of many callers in one call. */

import type { AccountsAtSlot } from './chain-reads.ts';
import type { Rpc } from './rpc.ts';

/**
 * Reads accounts at `confirmed`, all of one slot and none older than the request. Rejects with
 * RPC_UNAVAILABLE when the shared read failed.
 */
export type ReadAccounts = (addresses: readonly string[]) => Promise<AccountsAtSlot>;

/** The most accounts that nodes accept in one call. */
const ACCOUNTS_PER_CALL = 100;

type Waiter = {
  readonly addresses: readonly string[];
  readonly resolve: (read: AccountsAtSlot) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A read starts at once when none is under way; those that arrive meanwhile share the next one. The
 * accounts of one request are never spread over two calls.
 */
export function createSharedAccounts(rpc: Pick<Rpc, 'accounts'>): ReadAccounts {
  let waiting: Waiter[] = [];
  let isReading = false;

  async function readTogether(waiters: readonly Waiter[]): Promise<void> {
    try {
      const addresses = [...new Set(waiters.flatMap((waiter) => waiter.addresses))];
      const { slot, accounts } = await rpc.accounts(addresses, { commitment: 'confirmed' });
      const byAddress = new Map(addresses.map((one, place) => [one, accounts[place] ?? null]));
      for (const waiter of waiters) {
        const found = waiter.addresses.map((address) => byAddress.get(address) ?? null);
        waiter.resolve({ slot, accounts: found });
      }
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    }
  }

  async function readAll(): Promise<void> {
    isReading = true;
    while (waiting.length > 0) {
      const calls = packed(waiting);
      waiting = [];
      await Promise.all(calls.map(readTogether));
    }
    isReading = false;
  }

  return (addresses) =>
    new Promise((resolve, reject) => {
      waiting.push({ addresses, resolve, reject });
      if (!isReading) void readAll();
    });
}

/** Requests by the call that serves them. */
function packed(waiters: readonly Waiter[]): readonly (readonly Waiter[])[] {
  const calls: Waiter[][] = [];
  let room = 0;
  for (const waiter of waiters) {
    const call = calls.at(-1);
    if (call === undefined || waiter.addresses.length > room) {
      calls.push([waiter]);
      room = ACCOUNTS_PER_CALL - waiter.addresses.length;
    } else {
      call.push(waiter);
      room -= waiter.addresses.length;
    }
  }
  return calls;
}
