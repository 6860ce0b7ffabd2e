/** The landed transactions of a chain, by signature and by address, up to a count and an age. */

import type { Landing, LandedTransaction } from './landed-transaction.ts';
import { packLanding, unpackLanding } from './landing-record.ts';
import { accountKeysOf } from '../transactions/located-transaction.ts';
import { createRecords, type RecordPlace } from './record-file.ts';

export type HistoryLimits = {
  readonly maxTransactions: number;
  readonly maxAgeSeconds: number;
};

/** A landing with its record: much smaller than the transaction that the record holds. */
export type PackedLanding = { readonly landing: Landing; readonly record: Uint8Array };

export type AddressQuery = {
  readonly limit: number;
  /** Only landings up to this slot. */
  readonly maxSlot: number;
  /** Only landings before this one. */
  readonly before?: Landing | undefined;
  /** Only landings after this one. */
  readonly until?: Landing | undefined;
};

export type History = {
  readonly size: number;
  add(landed: LandedTransaction): void;
  /** The same with a packed landing of an earlier process. */
  addPacked(packed: PackedLanding): void;
  /** By the first signature, base58. */
  find(signature: string): Landing | undefined;
  /** The same with everything that is known of it. */
  read(signature: string): LandedTransaction | undefined;
  /** Newest first. */
  ofAddress(address: string, query: AddressQuery): readonly Landing[];
  /** All of them, oldest first. */
  packed(): Iterable<PackedLanding>;
  /** Forgets landings older than the limits allow at `unixSeconds`. */
  prune(unixSeconds: number): void;
  /** Forgets the landings after `slot` and returns them. */
  revertTo(slot: number): readonly LandedTransaction[];
};

/** In memory: enough for lists and statuses. The rest is in a file. */
type Entry = {
  readonly landing: Landing;
  /** Each address of the transaction once. */
  readonly addresses: readonly string[];
  readonly place: RecordPlace;
};

/** Landings of one address, oldest first; those before `start` are forgotten. */
type AddressLog = { readonly landings: (Landing | undefined)[]; start: number };

/** An array is moved together once this many of its first entries are forgotten. */
const COMPACT_AFTER = 512;

export function createHistory({ maxTransactions, maxAgeSeconds }: HistoryLimits): History {
  /** In the order of landing. */
  const bySignature = new Map<string, Entry>();
  const byAddress = new Map<string, AddressLog>();
  const records = createRecords();

  const readEntry = ({ landing, place }: Entry): LandedTransaction =>
    unpackLanding(landing, records.read(place));

  function forgetOldest({ landing, addresses, place }: Entry): void {
    bySignature.delete(landing.signature);
    records.forget(place);
    for (const address of addresses) {
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

  function remember(landing: Landing, record: Uint8Array, keys: readonly string[]): void {
    const addresses = [...new Set(keys)];
    bySignature.set(landing.signature, { landing, addresses, place: records.append(record) });
    for (const address of addresses) {
      const log = byAddress.get(address);
      if (log === undefined) byAddress.set(address, { landings: [landing], start: 0 });
      else log.landings.push(landing);
    }
  }

  return {
    get size() {
      return bySignature.size;
    },
    add(landed) {
      const { signature, sequence, slot, blockTime, err, memo } = landed;
      const landing: Landing = { signature, sequence, slot, blockTime, err, memo };
      remember(landing, packLanding(landed), accountKeysOf(landed));
    },
    addPacked({ landing, record }) {
      remember(landing, record, accountKeysOf(unpackLanding(landing, record)));
    },
    find: (signature) => bySignature.get(signature)?.landing,
    read(signature) {
      const entry = bySignature.get(signature);
      return entry === undefined ? undefined : readEntry(entry);
    },
    ofAddress(address, { limit, maxSlot, before, until }) {
      const found: Landing[] = [];
      const log = byAddress.get(address);
      if (log === undefined) return found;
      const end = before === undefined ? log.landings.length : firstFrom(log, before.sequence);
      for (let index = end - 1; index >= log.start && found.length < limit; index -= 1) {
        const landing = log.landings[index];
        if (landing === undefined) break;
        if (until !== undefined && landing.sequence <= until.sequence) break;
        if (landing.slot <= maxSlot) found.push(landing);
      }
      return found;
    },
    *packed() {
      for (const { landing, place } of bySignature.values()) {
        yield { landing, record: records.read(place) };
      }
    },
    prune(unixSeconds) {
      for (const entry of bySignature.values()) {
        const isTooOld = entry.landing.blockTime < unixSeconds - maxAgeSeconds;
        if (!isTooOld && bySignature.size <= maxTransactions) return;
        forgetOldest(entry);
      }
    },
    revertTo(slot) {
      const undone = [...bySignature.values()].filter(({ landing }) => landing.slot > slot);
      const landings = undone.map(readEntry);
      for (const { landing, addresses, place } of undone.toReversed()) {
        bySignature.delete(landing.signature);
        records.forget(place);
        for (const address of addresses) {
          const log = byAddress.get(address);
          log?.landings.pop();
          if (log?.start === log?.landings.length) byAddress.delete(address);
        }
      }
      return landings;
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
