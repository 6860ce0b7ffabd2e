import { createBatches } from '@agent-wallet/batches';
import { endsWithin } from '@agent-wallet/process';
import { type JobsOptions, Queue } from 'bullmq';
import {
  type Backend,
  createPostgresBackend,
  LANE_QUEUE,
  openBackend,
  type QueueTarget,
} from './backend.ts';
import type { QueueLoad } from './queue-metrics.ts';
import { CLOSE_TIMEOUT_MS, RESPONSE_TIMEOUT_MS } from './timeouts.ts';

/** Nudges that are added to the store in one call. */
const MOST_AT_ONCE = 1_000;
const ONE_QUEUE = '';
/** Jobs that may be added between counting the waiting ones and reading the oldest. */
const SINCE_COUNTED = 20;

type LaneId = { readonly sessionId: string; readonly fence: bigint };

export type LaneQueue = {
  /**
   * Wakes the lanes of a wallet. Many nudges of one wallet become one run now and one after it.
   * With a lane under its present fence the nudge has its own id, so an unfinished job of an earlier
   * run cannot absorb it.
   * Never throws: a lost nudge costs time until the sweep finds the row.
   */
  readonly nudge: (walletId: string, idle?: LaneId) => Promise<void>;
  /** Returns the number of waiting jobs. Throws when the store is unavailable. */
  readonly waiting: () => Promise<number>;
  /** Measures the queue of the whole system. Throws when the store is unavailable. */
  readonly load: () => Promise<QueueLoad>;
  readonly close: () => Promise<void>;
};

/** Opens the producing side of the lanes' queue. */
export async function openLaneQueue(
  target: QueueTarget,
  onError: (error: Error) => void,
): Promise<LaneQueue> {
  const backend = await openBackend(target, 'producer', onError);
  const queue = createQueue(backend);
  queue.on('error', onError);
  const nudges = createBatches<Nudge, null>({
    run: async (batch) => {
      try {
        await responseOf(queue.addBulk(jobsOf(batch)));
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
      }
      return batch.map(() => null);
    },
    concurrency: 1,
    maxWeight: MOST_AT_ONCE,
  });

  return {
    nudge: async (walletId, idle) => {
      await nudges(ONE_QUEUE, { walletId, idle });
    },
    waiting: () => responseOf(queue.getWaitingCount()),
    load: async () => {
      const counts = await responseOf(queue.getJobCounts('waiting', 'active', 'failed'));
      const waiting = counts['waiting'] ?? 0;
      // On Postgres, BullMQ counts a page from the newest job, whatever the order in the page.
      const from = backend.kind === 'postgres' ? Math.max(0, waiting - 1) : 0;
      const oldest = await responseOf(queue.getWaiting(from, from + SINCE_COUNTED));
      const createdMs = Math.min(Date.now(), ...oldest.map(({ timestamp }) => timestamp));
      return {
        waiting,
        active: counts['active'] ?? 0,
        failed: counts['failed'] ?? 0,
        oldestSeconds: (Date.now() - createdMs) / 1_000,
      };
    },
    close: async () => {
      await endsWithin(queue.close(), CLOSE_TIMEOUT_MS);
      await backend.close();
    },
  };
}

/** Rejects when the store does not respond in time. The command may still take effect. */
async function responseOf<Result>(command: Promise<Result>): Promise<Result> {
  // The clients themselves wait as long as the store accepts connections and says nothing.
  if (await endsWithin(command, RESPONSE_TIMEOUT_MS.producer)) return command;
  throw new Error(`the queue's store did not respond within ${RESPONSE_TIMEOUT_MS.producer} ms`);
}

type JobState = 'waiting' | 'active' | 'failed';

type Nudge = { readonly walletId: string; readonly idle: LaneId | undefined };

/** The part of BullMQ's Queue that both stores share. */
type JobQueue = {
  addBulk(jobs: NudgeJob[]): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  getJobCounts(...states: JobState[]): Promise<Readonly<Record<string, number>>>;
  getWaiting(from: number, to: number): Promise<readonly { readonly timestamp: number }[]>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

function createQueue(backend: Backend): JobQueue {
  if (backend.kind === 'redis') {
    const { redis: connection, prefix } = backend;
    return new Queue(LANE_QUEUE, { connection, prefix });
  }
  return new Queue(LANE_QUEUE, { connection: backend.pool }, createPostgresBackend);
}

type NudgeJob = {
  readonly name: string;
  readonly data: { readonly walletId: string };
  readonly opts: JobsOptions;
};

/** One job for each deduplication id. */
function jobsOf(nudges: readonly Nudge[]): NudgeJob[] {
  const wallets = new Map<string, string>();
  for (const { walletId, idle } of nudges) {
    const lane = idle === undefined ? '' : `.${idle.sessionId}.${idle.fence}`;
    wallets.set(`${walletId}${lane}`, walletId);
  }
  return [...wallets].map(([id, walletId]) => nudgeJob(id, walletId));
}

function nudgeJob(deduplicationId: string, walletId: string): NudgeJob {
  const opts: JobsOptions = {
    deduplication: { id: deduplicationId, keepLastIfActive: true },
    removeOnComplete: true,
    // `count` deadlocks on the Postgres backend; age does not.
    removeOnFail: { age: 3_600 },
  };
  return { name: 'drain', data: { walletId }, opts };
}
