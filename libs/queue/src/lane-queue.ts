import { createBatches } from '@agent-wallet/batches';
import { type JobsOptions, Queue } from 'bullmq';
import {
  type Backend,
  createPostgresBackend,
  LANE_QUEUE,
  openBackend,
  type QueueTarget,
} from './backend.ts';

/** Nudges that are added to the store in one call. */
const MOST_AT_ONCE = 1_000;
const ONE_QUEUE = '';

export type LaneQueue = {
  /**
   * Wakes the lane of a session. Many nudges of one lane become one run now and one after it. With
   * `fence` the nudge has its own id, so an unfinished job of an earlier run cannot absorb it.
   * Never throws: a lost nudge costs time until the sweep finds the row.
   */
  readonly nudge: (sessionId: string, fence?: bigint) => Promise<void>;
  /** Returns the number of waiting jobs. Throws when the store is unavailable. */
  readonly waiting: () => Promise<number>;
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
        await queue.addBulk(jobsOf(batch));
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
      }
      return batch.map(() => null);
    },
    concurrency: 1,
    maxWeight: MOST_AT_ONCE,
  });

  return {
    nudge: async (sessionId, fence) => {
      await nudges(ONE_QUEUE, { sessionId, fence });
    },
    waiting: () => queue.getWaitingCount(),
    close: async () => {
      await queue.close();
      await backend.close();
    },
  };
}

type Nudge = { readonly sessionId: string; readonly fence: bigint | undefined };

/** The part of BullMQ's Queue that both stores share. */
type JobQueue = {
  addBulk(jobs: NudgeJob[]): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

function createQueue(backend: Backend): JobQueue {
  if (backend.kind === 'redis') return new Queue(LANE_QUEUE, { connection: backend.redis });
  return new Queue(LANE_QUEUE, { connection: backend.pool }, createPostgresBackend);
}

type NudgeJob = {
  readonly name: string;
  readonly data: { readonly sessionId: string };
  readonly opts: JobsOptions;
};

/** One job for each deduplication id. */
function jobsOf(nudges: readonly Nudge[]): NudgeJob[] {
  const sessions = new Map<string, string>();
  for (const { sessionId, fence } of nudges) {
    const id = fence === undefined ? sessionId : `${sessionId}.${fence}`;
    sessions.set(id, sessionId);
  }
  return [...sessions].map(([id, sessionId]) => nudgeJob(id, sessionId));
}

function nudgeJob(deduplicationId: string, sessionId: string): NudgeJob {
  const opts: JobsOptions = {
    deduplication: { id: deduplicationId, keepLastIfActive: true },
    removeOnComplete: true,
    // `count` deadlocks on the Postgres backend; age does not.
    removeOnFail: { age: 3_600 },
  };
  return { name: 'drain', data: { sessionId }, opts };
}
