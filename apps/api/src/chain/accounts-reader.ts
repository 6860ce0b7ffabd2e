import type { AccountsAtSlot } from '@agent-wallet/chain';

type ReadAccounts = (addresses: readonly string[]) => Promise<AccountsAtSlot>;

type Waiting = {
  readonly addresses: readonly string[];
  readonly resolve: (answer: AccountsAtSlot) => void;
  readonly reject: (error: unknown) => void;
};

/** A call of getMultipleAccounts takes this many addresses. */
const ADDRESSES_PER_CALL = 100;

/**
 * Puts the reads of callers that come within `windowMs` into one call of the chain. A caller's own
 * addresses are always answered from one slot, and never from a call that began before it asked.
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
