/** The landed transactions of a chain, by signature and by address, up to a count and an age. */

import type { LandedTransaction } from './landed-transaction.ts';
import { accountKeysOf } from './located-transaction.ts';

export type HistoryLimits = {
  readonly maxTransactions: number;
  readonly maxAgeSeconds: number;
};

export type AddressQuery = {
  readonly limit: number;
  /** Only landings up to this slot. */
  readonly maxSlot: number;
  /** Only landings before this one. */
  readonly before?: LandedTransaction | undefined;
  /** Only landings after this one. */
  readonly until?: LandedTransaction | undefined;
};

export type History = {
  readonly size: number;
  add(landed: LandedTransaction): void;
  /** By the first signature, base58. */
  find(signature: string): LandedTransaction | undefined;
  /** Newest first. */
  ofAddress(address: string, query: AddressQuery): readonly LandedTransaction[];
  /** Oldest first. */
  all(): Iterable<LandedTransaction>;
  /** Forgets landings older than the limits allow at `unixSeconds`. */
  prune(unixSeconds: number): void;
  /** Forgets the landings after `slot` and returns them. */
  revertTo(slot: number): readonly LandedTransaction[];
};

/** Landings of one address, oldest first; those before `start` are forgotten. */
type AddressLog = { readonly landings: (LandedTransaction | undefined)[]; start: number };

/** An array is moved together once this many of its first entries are forgotten. */
const COMPACT_AFTER = 512;

const addressesOf = (landed: LandedTransaction): Set<string> => new Set(accountKeysOf(landed));

export function createHistory({ maxTransactions, maxAgeSeconds }: HistoryLimits): History {
  /** In the order of landing. */
  const bySignature = new Map<string, LandedTransaction>();
  const byAddress = new Map<string, AddressLog>();

  function forgetOldest(landed: LandedTransaction): void {
    bySignature.delete(landed.signature);
    for (const address of addressesOf(landed)) {
      const log = byAddress.get(address);
      if (log === undefined) continue;
      log.landings[log.start] = undefined;
      log.start += 1;
      if (log.start === log.landings.length) byAddress.delete(address);
      else if (log.start >= COMPACT_AFTER && log.start * 2 > log.landings.length) {
        log.landings.splice(0, log.start);
        log.start = 0;
      }
    }
  }

  function prune(unixSeconds: number): void {
    for (const landed of bySignature.values()) {
      const isTooOld = landed.blockTime < unixSeconds - maxAgeSeconds;
      if (!isTooOld && bySignature.size <= maxTransactions) return;
      forgetOldest(landed);
    }
  }

  return {
    get size() {
      return bySignature.size;
    },
    add(landed) {
      bySignature.set(landed.signature, landed);
      for (const address of addressesOf(landed)) {
        const log = byAddress.get(address);
        if (log === undefined) byAddress.set(address, { landings: [landed], start: 0 });
        else log.landings.push(landed);
      }
    },
    find: (signature) => bySignature.get(signature),
    ofAddress(address, { limit, maxSlot, before, until }) {
      const found: LandedTransaction[] = [];
      const log = byAddress.get(address);
      if (log === undefined) return found;
      const end = before === undefined ? log.landings.length : firstFrom(log, before.sequence);
      for (let index = end - 1; index >= log.start && found.length < limit; index -= 1) {
        const landed = log.landings[index];
        if (landed === undefined) break;
        if (until !== undefined && landed.sequence <= until.sequence) break;
        if (landed.slot <= maxSlot) found.push(landed);
      }
      return found;
    },
    all: () => bySignature.values(),
    prune,
    revertTo(slot) {
      const undone = [...bySignature.values()].filter((landed) => landed.slot > slot);
      for (const landed of undone.toReversed()) {
        bySignature.delete(landed.signature);
        for (const address of addressesOf(landed)) {
          const log = byAddress.get(address);
          log?.landings.pop();
          if (log?.start === log?.landings.length) byAddress.delete(address);
        }
      }
      return undone;
    },
  };
}

/** The index of the first landing with this number or a higher one. */
function firstFrom({ landings, start }: AddressLog, sequence: number): number {
  let low = start;
  let high = landings.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((landings[middle]?.sequence ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
