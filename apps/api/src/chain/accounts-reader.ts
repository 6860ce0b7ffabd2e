import type { AccountsAtSlot } from '@agent-wallet/chain';

type ReadAccounts = (addresses: readonly string[]) => Promise<AccountsAtSlot>;

type Waiting = {
  readonly addresses: readonly string[];
  readonly resolve: (answer: AccountsAtSlot) => void;
  readonly reject: (error: unknown) => void;
};

/** Maximum number of addresses in one call of getMultipleAccounts. */
const ADDRESSES_PER_CALL = 100;

/**
 * Batches the reads of callers within `windowMs` into one RPC call. All addresses of a caller are
 * read at one slot, and never by a call that began before the caller's request.
 */
export function createAccountsReader(read: ReadAccounts, windowMs: number): ReadAccounts {
  let waiting: Waiting[] = [];

  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    for (const group of groupBySize(batch)) void answer(read, group);
  };

  return (addresses) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(flush, windowMs);
      waiting.push({ addresses, resolve, reject });
    });
}

function groupBySize(batch: readonly Waiting[]): Waiting[][] {
  const groups: Waiting[][] = [];
  let size = 0;
  for (const one of batch) {
    const current = groups.at(-1);
    if (current === undefined || size + one.addresses.length > ADDRESSES_PER_CALL) {
      groups.push([one]);
      size = one.addresses.length;
    } else {
      current.push(one);
      size += one.addresses.length;
    }
  }
  return groups;
}

async function answer(read: ReadAccounts, group: readonly Waiting[]): Promise<void> {
  const distinct = [...new Set(group.flatMap((one) => one.addresses))];
  try {
    const { slot, accounts } = await read(distinct);
    const byAddress = new Map(distinct.map((address, i) => [address, accounts[i] ?? null]));
    for (const { addresses, resolve } of group) {
      resolve({ slot, accounts: addresses.map((address) => byAddress.get(address) ?? null) });
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}
