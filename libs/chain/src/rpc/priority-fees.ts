/**
 * The price offered per compute unit, so that a transfer is included when its accounts are in
 * demand.
 */

import { setTimeout as delay } from 'node:timers/promises';

import type { Rpc } from './rpc.ts';

const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;
const PERCENTILE = 75;
/** Account sets of the sessions that one process serves at a time. */
const REMEMBERED = 10_000;

export type PriorityFees = {
  /**
   * Micro-lamports per compute unit for a transfer that locks these accounts. Never throws and
   * waits only briefly: without a reply it returns the last known price, or the floor.
   */
  priceFor(writable: readonly string[], computeUnitLimit: number): Promise<bigint>;
};

export type PriorityFeesOptions = {
  readonly rpc: Pick<Rpc, 'recentPriorityFees'>;
  /** Micro-lamports per compute unit. */
  readonly floor: bigint;
  /** Upper limit of the priority fee of one spend; limits the floor as well. */
  readonly capLamports: bigint;
  /** An older price is refreshed in the background while the spend uses it. */
  readonly freshMs: number;
  /** How long a spend waits for the first price of its accounts. */
  readonly waitMs: number;
  readonly nowMs?: () => number;
};

/** The 75th percentile by nearest rank; null for an empty list. */
function percentile75(values: readonly bigint[]): bigint | null {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return sorted[Math.ceil((sorted.length * PERCENTILE) / 100) - 1] ?? null;
}

type Price = { readAtMs: number; price: bigint | null; reading: Promise<void> | null };

export function createPriorityFees(options: PriorityFeesOptions): PriorityFees {
  const { rpc, floor, capLamports, freshMs, waitMs, nowMs = () => performance.now() } = options;
  const prices = new Map<string, Price>();

  function entryOf(key: string): Price {
    const found = prices.get(key);
    if (found !== undefined) return found;
    const [oldest] = prices.keys();
    if (prices.size >= REMEMBERED && oldest !== undefined) prices.delete(oldest);
    const entry: Price = { readAtMs: Number.NEGATIVE_INFINITY, price: null, reading: null };
    prices.set(key, entry);
    return entry;
  }

  async function readInto(entry: Price, writable: readonly string[]): Promise<void> {
    try {
      // No recent fees is a result too: the next spend does not wait again.
      entry.price = percentile75(await rpc.recentPriorityFees(writable)) ?? 0n;
    } catch {
      // The failed call is counted; the last known price stays in use.
    } finally {
      entry.reading = null;
    }
  }

  return {
    async priceFor(writable, computeUnitLimit) {
      const entry = entryOf(writable.join(' '));
      if (entry.reading === null && nowMs() - entry.readAtMs > freshMs) {
        entry.readAtMs = nowMs();
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
