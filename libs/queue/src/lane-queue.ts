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
  let underWay: Promise<void> | null = null;
  let next: Nudges | null = null;

  async function addAll({ sessions }: Nudges): Promise<void> {
    const jobs = [...sessions].map(([id, sessionId]) => nudgeJob(id, sessionId));
    try {
      await queue.addBulk(jobs);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
    underWay = null;
  }

  /** Nudges that arrive while others are added are added together, after those. */
  function nextNudges(): Nudges {
    if (next !== null) return next;
    const nudges: Nudges = { sessions: new Map(), added: begin() };
    next = nudges;
    return nudges;

    async function begin(): Promise<void> {
      await underWay;
      next = null;
      underWay = addAll(nudges);
      await underWay;
    }
  }

  return {
    nudge: async (sessionId, fence) => {
      const id = fence === undefined ? sessionId : `${sessionId}.${fence}`;
      const { sessions, added } = nextNudges();
      sessions.set(id, sessionId);
      await added;
    },
    waiting: () => queue.getWaitingCount(),
    close: async () => {
      await queue.close();
      await backend.close();
    },
  };
}

/** Sessions by the deduplication id of their nudge. `added` ends when they are in the store. */
type Nudges = { readonly sessions: Map<string, string>; readonly added: Promise<void> };

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

function nudgeJob(deduplicationId: string, sessionId: string): NudgeJob {
  const opts: JobsOptions = {
    deduplication: { id: deduplicationId, keepLastIfActive: true },
    removeOnComplete: true,
    // `count` deadlocks on the Postgres backend; age does not.
    removeOnFail: { age: 3_600 },
  };
  return { name: 'drain', data: { sessionId }, opts };
}
