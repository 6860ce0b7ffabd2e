/** What to offer per compute unit, so that a transfer is taken when its accounts are in demand. */

import { setTimeout as delay } from 'node:timers/promises';

import type { Rpc } from './rpc.ts';

const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;
const PERCENTILE = 75;
/** Accounts of as many sessions as one process serves at a time. */
const REMEMBERED = 10_000;

export type PriorityFees = {
  /**
   * Micro-lamports per compute unit for a transfer that locks these accounts. Never throws and
   * waits a moment at most: without an answer it is the last known price, or the floor.
   */
  priceFor(writable: readonly string[], computeUnitLimit: number): Promise<bigint>;
};

export type PriorityFeesOptions = {
  readonly rpc: Pick<Rpc, 'recentPriorityFees'>;
  /** Micro-lamports per compute unit. */
  readonly floor: bigint;
  /** The most that one spend may pay on top of its signatures; binds the floor as well. */
  readonly capLamports: bigint;
  /** A price older than this is asked for again, beside the spend that uses it. */
  readonly freshMs: number;
  /** How long a spend waits for a price that nobody knows yet. */
  readonly waitMs: number;
  readonly nowMs?: () => number;
};

/** The 75th percentile by nearest rank; null of nothing. */
function percentile75(values: readonly bigint[]): bigint | null {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return sorted[Math.ceil((sorted.length * PERCENTILE) / 100) - 1] ?? null;
}

type Price = { asked: number; price: bigint | null; reading: Promise<void> | null };

export function createPriorityFees(options: PriorityFeesOptions): PriorityFees {
  const { rpc, floor, capLamports, freshMs, waitMs, nowMs = () => performance.now() } = options;
  const prices = new Map<string, Price>();

  function entryOf(key: string): Price {
    const found = prices.get(key);
    if (found !== undefined) return found;
    const [oldest] = prices.keys();
    if (prices.size >= REMEMBERED && oldest !== undefined) prices.delete(oldest);
    const entry: Price = { asked: Number.NEGATIVE_INFINITY, price: null, reading: null };
    prices.set(key, entry);
    return entry;
  }

  async function readInto(entry: Price, writable: readonly string[]): Promise<void> {
    try {
      // Nothing paid is an answer as well: the next spend does not wait for another one.
      entry.price = percentile75(await rpc.recentPriorityFees(writable)) ?? 0n;
    } catch {
      // Counted as a failed call; the last known price stands.
    } finally {
      entry.reading = null;
    }
  }

  return {
    async priceFor(writable, computeUnitLimit) {
      const entry = entryOf(writable.join(' '));
      if (entry.reading === null && nowMs() - entry.asked > freshMs) {
        entry.asked = nowMs();
        entry.reading = readInto(entry, writable);
      }
      if (entry.price === null && entry.reading !== null) {
        const stop = new AbortController();
        const patience = delay(waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
        await Promise.race([entry.reading, patience]);
        stop.abort();
      }
      const wanted = entry.price !== null && entry.price > floor ? entry.price : floor;
      const most = (capLamports * MICRO_LAMPORTS_PER_LAMPORT) / BigInt(computeUnitLimit);
      return wanted < most ? wanted : most;
    },
  };
}
