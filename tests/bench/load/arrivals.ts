import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './agents.ts';
import { openTransfers, type ReplyKind } from './send-transfer.ts';

const CONNECTIONS = 16;

/** The fraction of the golden ratio: its multiples are spread evenly, however many are taken. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export type Arrivals = {
  readonly count: number;
  /** Between two arrivals, on average; a multiple of `slotMs`. */
  readonly everyMs: number;
  /** Arrivals are spread evenly over the phases of a slot, because a landing waits for its end. */
  readonly slotMs: number;
};

export type Arrived = {
  /** Milliseconds from the planned start of each request to its reply. */
  readonly latenciesMs: readonly number[];
  readonly replies: Readonly<Record<ReplyKind, number>>;
};

/**
 * An open loop: requests start on a schedule, whatever became of the ones before, and a late start
 * counts as latency.
 */
export async function sendArrivals(
  target: Target,
  { count, everyMs, slotMs }: Arrivals,
): Promise<Arrived> {
  const transfers = openTransfers(target, { connections: CONNECTIONS });
  const latenciesMs: number[] = [];
  const replies: Record<ReplyKind, number> = {};

  async function sendAt(plannedMs: number, n: number): Promise<void> {
    await delay(plannedMs - performance.now());
    const kind = await transfers.send(n);
    latenciesMs.push(performance.now() - plannedMs);
    replies[kind] = (replies[kind] ?? 0) + 1;
  }

  const startMs = performance.now();
  const planned = Array.from(
    { length: count },
    (_, n) => startMs + n * everyMs + ((n * GOLDEN) % 1) * slotMs,
  );
  try {
    await Promise.all(planned.map(sendAt));
  } finally {
    await transfers.close();
  }
  return { latenciesMs, replies };
}
