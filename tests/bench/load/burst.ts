import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../report/statistics.ts';
import type { Target } from './agents.ts';
import { openTransfers, type ReplyKind } from './send-transfer.ts';

const BUSY_PAUSE_MS = 250;
const MOST_TRIES = 400;

export type BurstLoad = {
  readonly requests: number;
  /** Number of clients; each sends its next request when it has the reply to the one before. */
  readonly clients: number;
  readonly prefer?: string;
};

export type Burst = {
  /** To the last reply. */
  readonly seconds: number;
  /** Number of final replies by kind. */
  readonly replies: Readonly<Record<ReplyKind, number>>;
  /** Number of requests that were sent again, by the kind of the reply before. */
  readonly retried: Readonly<Record<ReplyKind, number>>;
  /** Milliseconds to the final reply of each request. */
  readonly latenciesMs: readonly number[];
};

/** Sends all requests as fast as the clients can, spread evenly over the agents. */
export async function sendBurst(target: Target, load: BurstLoad): Promise<Burst> {
  const { requests, clients, prefer } = load;
  const transfers = openTransfers(target, { connections: clients, prefer });
  const replies: Record<ReplyKind, number> = {};
  const retried: Record<ReplyKind, number> = {};
  const latenciesMs: number[] = [];
  const numbers = Array.from({ length: requests }, (_, n) => n).values();

  async function request(n: number): Promise<void> {
    const startedMs = performance.now();
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const kind = await transfers.send(n);
      if (!isBusy(kind)) {
        replies[kind] = (replies[kind] ?? 0) + 1;
        latenciesMs.push(performance.now() - startedMs);
        return;
      }
      retried[kind] = (retried[kind] ?? 0) + 1;
      await delay(BUSY_PAUSE_MS * (1 + Math.random()));
    }
    throw new Error(`a request was refused as busy ${MOST_TRIES} times`);
  }
  async function sendOnAndOn(): Promise<void> {
    for (const n of numbers) await request(n);
  }

  const startedMs = performance.now();
  try {
    await Promise.all(Array.from({ length: clients }, sendOnAndOn));
  } finally {
    await transfers.close();
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  return { seconds, replies, retried, latenciesMs };
}

/** One line for people. */
export function describeBurst({ seconds, replies, retried, latenciesMs }: Burst): string {
  const p50 = (quantile(latenciesMs, 0.5) / 1_000).toFixed(2);
  return `${counted(replies)} in ${seconds.toFixed(1)} s, p50 ${p50} s; retried: ${counted(retried)}`;
}

function counted(kinds: Readonly<Record<string, number>>): string {
  const parts = Object.entries(kinds).map(([kind, count]) => `${count} × ${kind}`);
  return parts.join(', ') || 'none';
}

/** Too many requests, or none can be accepted now; not a spend that was refused unsent. */
const isBusy = (kind: ReplyKind): boolean =>
  kind.startsWith('429') || (kind.startsWith('503') && kind !== '503 EXPIRED_UNSENT');
