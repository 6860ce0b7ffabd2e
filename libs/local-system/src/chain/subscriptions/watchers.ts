/**
 * Who waits for what on a chain, and what they are shown. A landing is shown at `processed` when it
 * happens, and at `confirmed` and `finalized` when its slot gets there.
 */

import type { AccountState, Commitment } from '../engine/accounts/account-state.ts';
import type { ChainEngine } from '../engine/chain-engine.ts';
import type { LandedTransaction } from '../engine/history/landed-transaction.ts';
import { accountKeysOf } from '../engine/transactions/located-transaction.ts';
import { isWritable } from '../engine/transactions/wire-transaction.ts';
import { type AccountView, accountJson } from '../rpc/json/account-json.ts';

/** Receives the `result` of a notification. */
export type Notify = (result: object) => void;

export type Watch =
  | { readonly kind: 'slot' }
  /** Ends with its only notification. */
  | { readonly kind: 'signature'; readonly signature: string; readonly commitment: Commitment }
  | {
      readonly kind: 'account';
      readonly address: string;
      readonly view: AccountView;
      readonly commitment: Commitment;
    }
  /** `mentions` is an address of the transaction; null: every transaction. */
  | {
      readonly kind: 'logs';
      readonly mentions: string | null;
      readonly commitment: Commitment;
    };

export type Watchers = {
  /** Begins a watch; returns the function that ends it. */
  add(watch: Watch, notify: Notify): () => void;
  close(): void;
};

type AccountWatch = { readonly view: AccountView; readonly notify: Notify };
type LogsWatch = { readonly mentions: string | null; readonly notify: Notify };

/** The watches of one commitment. */
type Level = {
  readonly signatures: Map<string, Set<Notify>>;
  readonly accounts: Map<string, Set<AccountWatch>>;
  readonly logs: Set<LogsWatch>;
};

/** A closed account is shown as an empty one. */
const CLOSED: AccountState = {
  lamports: 0n,
  data: new Uint8Array(),
  owner: '11111111111111111111111111111111',
  executable: false,
  rentEpoch: 0n,
};

export function createWatchers(chain: ChainEngine): Watchers {
  const slots = new Set<Notify>();
  const levels: Readonly<Record<Commitment, Level>> = {
    processed: emptyLevel(),
    confirmed: emptyLevel(),
    finalized: emptyLevel(),
  };
  /** What landed in the slots that are not final. */
  const landings = new Map<number, LandedTransaction[]>();

  function inContext(commitment: Commitment, value: unknown): object {
    return { context: { slot: chain.slot(commitment) }, value };
  }

  function show(commitment: Commitment, landed: readonly LandedTransaction[]): void {
    const { signatures, accounts, logs } = levels[commitment];
    if (signatures.size > 0) {
      for (const { signature, execution } of landed) {
        const waiting = signatures.get(signature);
        signatures.delete(signature);
        for (const notify of waiting ?? []) notify(inContext(commitment, { err: execution.err }));
      }
    }
    for (const one of logs.size > 0 ? landed : []) showLogs(commitment, one);
    if (accounts.size > 0) {
      for (const address of new Set(landed.flatMap(writtenAddresses))) {
        showAccount(commitment, address);
      }
    }
  }

  function showLogs(commitment: Commitment, landed: LandedTransaction): void {
    const { err, logs } = landed.execution;
    const keys = accountKeysOf(landed);
    for (const { mentions, notify } of levels[commitment].logs) {
      if (mentions !== null && !keys.includes(mentions)) continue;
      notify(inContext(commitment, { signature: landed.signature, err, logs }));
    }
  }

  function showAccount(commitment: Commitment, address: string): void {
    const watches = levels[commitment].accounts.get(address);
    if (watches === undefined) return;
    const read = (wanted: string): AccountState | null => chain.account(wanted, commitment);
    for (const { view, notify } of watches) {
      notify(inContext(commitment, accountJson(read(address) ?? CLOSED, view, read)));
    }
  }

  function onLanded(landed: LandedTransaction): void {
    const others = landings.get(landed.slot);
    if (others === undefined) landings.set(landed.slot, [landed]);
    else others.push(landed);
    show('processed', [landed]);
  }

  function onSlot(slot: number): void {
    const finalized = chain.slot('finalized');
    for (const notify of slots) notify({ slot, parent: slot - 1, root: finalized });
    show('confirmed', landings.get(chain.slot('confirmed')) ?? []);
    show('finalized', landings.get(finalized) ?? []);
    landings.delete(finalized);
  }

  function onForked(slot: number): void {
    for (const later of landings.keys()) if (later > slot) landings.delete(later);
  }

  chain.events.on('landed', onLanded);
  chain.events.on('slot', onSlot);
  chain.events.on('forked', onForked);

  return {
    add(watch, notify) {
      if (watch.kind === 'slot') return addTo(slots, notify);
      const { signatures, accounts, logs } = levels[watch.commitment];
      switch (watch.kind) {
        case 'account':
          return addUnder(accounts, watch.address, { view: watch.view, notify });
        case 'logs':
          return addTo(logs, { mentions: watch.mentions, notify });
        case 'signature': {
          const known = chain.history.find(watch.signature);
          if (known === undefined || known.slot > chain.slot(watch.commitment)) {
            return addUnder(signatures, watch.signature, notify);
          }
          // The caller must learn the subscription's number first.
          setImmediate(notify, inContext(watch.commitment, { err: known.err }));
          return () => undefined;
        }
      }
    },
    close() {
      chain.events.off('landed', onLanded);
      chain.events.off('slot', onSlot);
      chain.events.off('forked', onForked);
    },
  };
}

/** A failure leaves the payment of its fee alone. */
function writtenAddresses(landed: LandedTransaction): readonly string[] {
  const keys = accountKeysOf(landed);
  if (landed.execution.err !== null) return keys.slice(0, 1);
  const { message } = landed.transaction;
  return keys.filter((_, index) => isWritable(message, index, landed.loaded.writable.length));
}

const emptyLevel = (): Level => ({
  signatures: new Map(),
  accounts: new Map(),
  logs: new Set(),
});

function addTo<Member>(members: Set<Member>, member: Member): () => void {
  members.add(member);
  return () => void members.delete(member);
}

function addUnder<Member>(
  groups: Map<string, Set<Member>>,
  key: string,
  member: Member,
): () => void {
  const group = groups.get(key) ?? new Set();
  groups.set(key, group.add(member));
  return () => {
    group.delete(member);
    if (group.size === 0 && groups.get(key) === group) groups.delete(key);
  };
}
