import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './agents.ts';
import { openTransfers, type ReplyKind } from './send-transfer.ts';

const CONNECTIONS = 16;

export type Arrivals = {
  readonly count: number;
  /** Between two arrivals, drawn evenly from this range, so that no phase of a slot is preferred. */
  readonly everyMs: readonly [number, number];
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
  { count, everyMs: [least, most] }: Arrivals,
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

  let atMs = performance.now();
  const planned = Array.from({ length: count }, () => {
    atMs += least + Math.random() * (most - least);
    return atMs;
  });
  try {
    await Promise.all(planned.map(sendAt));
  } finally {
    await transfers.close();
  }
  return { latenciesMs, replies };
}
