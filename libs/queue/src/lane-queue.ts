import { type JobsOptions, Queue } from 'bullmq';
import {
  type Backend,
  createPostgresBackend,
  LANE_QUEUE,
  openBackend,
  type QueueTarget,
} from './backend.ts';

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
  return {
    nudge: async (sessionId, fence) => {
      const id = fence === undefined ? sessionId : `${sessionId}.${fence}`;
      try {
        await queue.add('drain', { sessionId }, nudgeOptions(id));
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
      }
    },
    waiting: () => queue.getWaitingCount(),
    close: async () => {
      await queue.close();
      await backend.close();
    },
  };
}

/** The part of BullMQ's Queue that both stores share. */
type JobQueue = {
  add(name: string, data: { sessionId: string }, options: JobsOptions): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

function createQueue(backend: Backend): JobQueue {
  if (backend.kind === 'redis') return new Queue(LANE_QUEUE, { connection: backend.redis });
  return new Queue(LANE_QUEUE, { connection: backend.pool }, createPostgresBackend);
}

function nudgeOptions(deduplicationId: string): JobsOptions {
  return {
    deduplication: { id: deduplicationId, keepLastIfActive: true },
    removeOnComplete: true,
    // `count` deadlocks on the Postgres backend; age does not.
    removeOnFail: { age: 3_600 },
  };
}
