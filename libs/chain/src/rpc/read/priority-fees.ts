/**
 * The price offered per compute unit, so that a transfer is included when its accounts are in
 * demand.
 */

import type { Rpc } from '../rpc.ts';

const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;
const PERCENTILE = 75;
/** The most accounts that nodes accept in one call. */
const ACCOUNTS_PER_CALL = 128;
/** Of many accounts, those whose price is the oldest are read first. */
const CALLS_PER_REFRESH = 8;
/** Accounts that no spend has locked for so long are forgotten. */
const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 40_000;
/** Each attempt that expired raises the price tenfold; after two of them it is the limit. */
const RAISE = 10n;
const MOST_RAISES = 2;

export type PriorityFees = {
  /**
   * Micro-lamports per compute unit for a transfer that locks these accounts: the highest known
   * price of one of them, or the floor. `expiredAttempts` of the same spend raise it, because they
   * were probably outbid, from at least a hundredth of the limit.
   */
  priceFor(writable: readonly string[], computeUnitLimit: number, expiredAttempts: number): bigint;
  /** Reads the prices of all recent accounts. Without an answer the last known prices stay. */
  refresh(): Promise<void>;
};

export type PriorityFeesOptions = {
  readonly rpc: Pick<Rpc, 'recentPriorityFees'>;
  /** Micro-lamports per compute unit. */
  readonly floor: bigint;
  /** Upper limit of the priority fee of one attempt; limits the floor as well. */
  readonly capLamports: bigint;
  readonly nowMs?: () => number;
};

type Account = { lockedAtMs: number; readAtMs: number; price: bigint };

/** The 75th percentile by nearest rank; null for an empty list. */
function percentile75(values: readonly bigint[]): bigint | null {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return sorted[Math.ceil((sorted.length * PERCENTILE) / 100) - 1] ?? null;
}

/**
 * Prices are read in the background, many accounts in one call. What a node answers is the price of
 * locking all of them, so each spend offers what the dearest account of its call needs.
 */
export function createPriorityFees(options: PriorityFeesOptions): PriorityFees {
  const { rpc, floor, capLamports, nowMs = () => performance.now() } = options;
  const accounts = new Map<string, Account>();

  function priceOf(address: string): bigint {
    const known = accounts.get(address);
    if (known !== undefined) {
      known.lockedAtMs = nowMs();
      return known.price;
    }
    if (accounts.size < MOST_REMEMBERED) {
      const readAtMs = Number.NEGATIVE_INFINITY;
      accounts.set(address, { lockedAtMs: nowMs(), readAtMs, price: floor });
    }
    return floor;
  }

  async function readPrices(entries: readonly (readonly [string, Account])[]): Promise<void> {
    const readAtMs = nowMs();
    for (const [, account] of entries) account.readAtMs = readAtMs;
    try {
      const price = percentile75(await rpc.recentPriorityFees(entries.map(([one]) => one))) ?? 0n;
      for (const [, account] of entries) account.price = price;
    } catch {
      // The failed call is counted; the last known prices stay in use.
    }
  }

  return {
    priceFor(writable, computeUnitLimit, expiredAttempts) {
      const market = writable.map(priceOf).reduce(highest, floor);
      const most = (capLamports * MICRO_LAMPORTS_PER_LAMPORT) / BigInt(computeUnitLimit);
      const raises = Math.min(expiredAttempts, MOST_RAISES);
      const least = raises === 0 ? 0n : most / RAISE ** BigInt(MOST_RAISES);
      const wanted = highest(market, least) * RAISE ** BigInt(raises);
      return wanted < most ? wanted : most;
    },
    async refresh() {
      const forgottenMs = nowMs() - REMEMBERED_MS;
      for (const [address, { lockedAtMs }] of accounts) {
        if (lockedAtMs < forgottenMs) accounts.delete(address);
      }
      const oldestFirst = [...accounts].toSorted(([, a], [, b]) => a.readAtMs - b.readAtMs);
      for (let call = 0; call < CALLS_PER_REFRESH; call += 1) {
        const start = call * ACCOUNTS_PER_CALL;
        const entries = oldestFirst.slice(start, start + ACCOUNTS_PER_CALL);
        if (entries.length === 0) return;
        await readPrices(entries);
      }
    },
  };
}

const highest = (one: bigint, other: bigint): bigint => (one > other ? one : other);
