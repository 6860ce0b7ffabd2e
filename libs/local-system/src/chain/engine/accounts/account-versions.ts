/** Accounts at every commitment: the newest from the machine, replaced ones until final. */

import type { AccountState } from './account-state.ts';
import type { Svm } from '../svm.ts';

/** Newest accounts that are kept outside the machine, so that a read does not copy them again. */
const CACHED = 10_000;
/** The machine writes sysvars itself. */
const SYSVAR_PREFIX = 'Sysvar';

/** `account` as it was before the first change in `slot`; null: it did not exist. */
type Replaced = { readonly slot: number; readonly account: AccountState | null };

/** What reads below the newest state need. */
export type SavedVersions = {
  readonly replaced: Map<string, Replaced[]>;
  readonly changedIn: Map<number, Set<string>>;
};

export type AccountVersions = {
  /** For `createAccountVersions`, beside the saved machine. */
  save(): SavedVersions;
  newest(address: string): AccountState | null;
  /** The account at the end of `slot`, which must not be older than the last pruned one. */
  at(address: string, slot: number): AccountState | null;
  /** Reads an account again after it may have changed in `slot`; `before` is its state until then. */
  reread(address: string, before: AccountState | null, slot: number): AccountState | null;
  /** Reads every newest account from the machine again. */
  reload(): void;
  /** Sets an account in every state, without a transaction. */
  set(address: string, account: AccountState): void;
  /** Runs `act` while the machine holds these accounts as they were at the end of `slot`. */
  during<T>(slot: number, addresses: readonly string[], act: () => T): T;
  /** Whether any of these accounts has changed since the end of `slot`. */
  hasChanged(slot: number, addresses: readonly string[]): boolean;
  /** Every account that belongs or belonged to a program, at the end of `slot`. */
  ofProgram(program: string, slot: number): ReadonlyMap<string, AccountState>;
  /** Undoes all changes since the end of `slot` and returns the changed addresses. */
  revertTo(slot: number): readonly string[];
  /** Forgets what only reads before the end of `slot` need. */
  prune(slot: number): void;
};

const EMPTY: AccountState = {
  lamports: 0n,
  data: new Uint8Array(),
  owner: '11111111111111111111111111111111',
  executable: false,
  rentEpoch: 0n,
};

export function createAccountVersions(svm: Svm, saved?: SavedVersions): AccountVersions {
  const cache = new Map<string, AccountState | null>();
  /** Oldest first. */
  const replaced = saved?.replaced ?? new Map<string, Replaced[]>();
  const changedIn = saved?.changedIn ?? new Map<number, Set<string>>();

  function remember(address: string, account: AccountState | null): void {
    if (address.startsWith(SYSVAR_PREFIX)) return;
    if (cache.size >= CACHED) cache.clear();
    cache.set(address, account);
  }

  function newest(address: string): AccountState | null {
    const known = cache.get(address);
    if (known !== undefined) return known;
    const account = svm.account(address);
    remember(address, account);
    return account;
  }

  function recordChange(address: string, before: AccountState | null, slot: number): void {
    let changed = changedIn.get(slot);
    if (changed === undefined) changedIn.set(slot, (changed = new Set()));
    if (changed.has(address)) return;
    changed.add(address);
    const versions = replaced.get(address);
    if (versions === undefined) replaced.set(address, [{ slot, account: before }]);
    else versions.push({ slot, account: before });
  }

  function at(address: string, slot: number): AccountState | null {
    const next = replaced.get(address)?.find((version) => version.slot > slot);
    return next === undefined ? newest(address) : next.account;
  }

  function set(address: string, account: AccountState | null): void {
    svm.setAccount(address, account ?? EMPTY);
    remember(address, account);
  }

  const isNewer = (address: string, slot: number): boolean =>
    (replaced.get(address)?.at(-1)?.slot ?? -1) > slot;

  return {
    save: () => ({ replaced, changedIn }),
    newest,
    at,
    hasChanged: (slot, addresses) => addresses.some((address) => isNewer(address, slot)),
    during(slot, addresses, act) {
      const changed = addresses.filter((address) => isNewer(address, slot));
      const newer = changed.map((address) => newest(address));
      for (const address of changed) svm.setAccount(address, at(address, slot) ?? EMPTY);
      try {
        return act();
      } finally {
        for (const [index, address] of changed.entries()) {
          svm.setAccount(address, newer[index] ?? EMPTY);
        }
      }
    },
    reread(address, before, slot) {
      const after = svm.account(address);
      if (isSame(before, after)) return before;
      remember(address, after);
      recordChange(address, before, slot);
      return after;
    },
    reload: () => cache.clear(),
    set(address, account) {
      replaced.delete(address);
      for (const changed of changedIn.values()) changed.delete(address);
      set(address, account);
    },
    ofProgram(program, slot) {
      const accounts = new Map(svm.programAccounts(program));
      for (const address of replaced.keys()) {
        const account = at(address, slot);
        if (account?.owner === program) accounts.set(address, account);
        else accounts.delete(address);
      }
      return accounts;
    },
    revertTo(slot) {
      const undone = new Set<string>();
      for (const [changedSlot, addresses] of changedIn) {
        if (changedSlot <= slot) continue;
        for (const address of addresses) undone.add(address);
        changedIn.delete(changedSlot);
      }
      for (const address of undone) {
        const versions = replaced.get(address) ?? [];
        set(address, at(address, slot));
        const kept = versions.filter((version) => version.slot <= slot);
        if (kept.length === 0) replaced.delete(address);
        else replaced.set(address, kept);
      }
      return [...undone];
    },
    prune(slot) {
      for (const [changedSlot, addresses] of changedIn) {
        if (changedSlot > slot) return;
        changedIn.delete(changedSlot);
        for (const address of addresses) {
          const versions = replaced.get(address);
          versions?.shift();
          if (versions?.length === 0) replaced.delete(address);
        }
      }
    },
  };
}

function isSame(one: AccountState | null, other: AccountState | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.lamports === other.lamports &&
    one.owner === other.owner &&
    one.executable === other.executable &&
    Buffer.compare(one.data, other.data) === 0
  );
}
