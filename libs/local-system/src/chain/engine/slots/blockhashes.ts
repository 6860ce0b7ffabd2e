/** The blockhashes of recent slots, and the signatures that landed with each. */

import { createHash, randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { byteKey } from '../accounts/addresses.ts';

/** A transaction can land up to this many blocks after the block of its blockhash. */
export const VALID_BLOCKS = 150;
/** Finality is this many slots behind, so that a blockhash is still known at `finalized`. */
const KEPT_BLOCKS = VALID_BLOCKS + 32;

export type RecentBlockhash = {
  readonly bytes: Uint8Array;
  readonly slot: number;
  readonly height: number;
  /** Landed with this blockhash, as map keys, with the slot: none of them can land again. */
  readonly landed: Map<string, number>;
};

export type Blockhashes = {
  /** Makes the blockhash of a new slot and forgets the oldest. */
  add(slot: number, height: number): void;
  ofSlot(slot: number): RecentBlockhash;
  find(bytes: Uint8Array): RecentBlockhash | undefined;
  /** All of them, oldest first. */
  save(): readonly RecentBlockhash[];
  /** Forgets the blockhashes after `slot` and what landed after it. */
  revertTo(slot: number): void;
};

/** With a seed, the same slots have the same blockhashes in every run. */
export function createBlockhashes(
  seed?: string,
  saved: readonly RecentBlockhash[] = [],
): Blockhashes {
  const byKey = new Map<string, RecentBlockhash>();
  const bySlot = new Map<number, RecentBlockhash>();
  const make = (slot: number): Uint8Array =>
    seed === undefined ? randomBytes(32) : seededHash(seed, `slot ${slot}`);

  function remember(entry: RecentBlockhash): void {
    byKey.set(byteKey(entry.bytes), entry);
    bySlot.set(entry.slot, entry);
  }

  function forget(entry: RecentBlockhash): void {
    byKey.delete(byteKey(entry.bytes));
    bySlot.delete(entry.slot);
  }

  for (const entry of saved) remember(entry);

  return {
    save: () => [...bySlot.values()],
    add(slot, height) {
      const entry = { bytes: make(slot), slot, height, landed: new Map<string, number>() };
      remember(entry);
      for (const old of bySlot.values()) {
        if (height - old.height <= KEPT_BLOCKS) break;
        forget(old);
      }
    },
    ofSlot(slot) {
      const entry = bySlot.get(slot);
      if (entry === undefined) throw new RangeError(`slot ${slot} has no known blockhash`);
      return entry;
    },
    find: (bytes) => byKey.get(byteKey(bytes)),
    revertTo(slot) {
      for (const entry of bySlot.values()) {
        if (entry.slot > slot) forget(entry);
        for (const [key, landedIn] of entry.landed) if (landedIn > slot) entry.landed.delete(key);
      }
    },
  };
}

/** 32 bytes that depend on the seed and the purpose only. */
export function seededHash(seed: string, purpose: string): Uint8Array {
  return createHash('sha256').update(`${seed}\n${purpose}`).digest();
}

/** A hash that identifies a chain, base58. */
export function genesisHash(seed?: string): string {
  return bs58.encode(seed === undefined ? randomBytes(32) : seededHash(seed, 'genesis'));
}
