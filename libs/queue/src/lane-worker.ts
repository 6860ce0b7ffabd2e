import { type Processor, Worker } from 'bullmq';
import {
  type Backend,
  createPostgresBackend,
  LANE_QUEUE,
  openBackend,
  type QueueTarget,
} from './backend.ts';

export type LaneWorker = {
  /** Takes no more jobs and waits for the running ones, at most `deadlineMs`. */
  readonly close: (deadlineMs: number) => Promise<void>;
};

type LaneWorkerOptions = {
  readonly target: QueueTarget;
  readonly concurrency: number;
  /** Drains one lane. Its own faults are its business; a throw only marks the job failed. */
  readonly runLane: (sessionId: string) => Promise<void>;
  readonly onError: (error: Error) => void;
};

/** Opens the consuming side: each job names a session whose lane wants a run. */
export async function openLaneWorker(options: LaneWorkerOptions): Promise<LaneWorker> {
  const backend = await openBackend(options.target, 'worker', options.onError);
  const runs = new Set<Promise<void>>();
  const worker = createWorker(backend, options.concurrency, async (job) => {
    const run = options.runLane(job.data.sessionId);
    runs.add(run);
    try {
      await run;
    } finally {
      runs.delete(run);
    }
  });
  worker.on('error', options.onError);
  return {
    close: async (deadlineMs) => {
      await worker.pause(true);
      // Waited for here: BullMQ hears of force in the first call of close alone, and would wait on.
      const areDone = await awaitOutcome(runs, deadlineMs);
      // A job cut off here is safe: its lane's lease runs out and the sweeper nudges again.
      await worker.close(!areDone);
      await backend.close();
    },
  };
}

/** True when all of them have ended, well or badly, before the deadline. */
async function awaitOutcome(runs: Iterable<Promise<void>>, deadlineMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), deadlineMs);
  const done = Promise.allSettled(runs).then(() => true);
  const areDone = await Promise.race([done, late.promise]);
  clearTimeout(timer);
  return areDone;
}

/** The part of BullMQ's Worker that is used here, the same for both stores. */
type JobWorker = {
  pause(doNotWaitActive?: boolean): Promise<void>;
  close(force?: boolean): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

type LaneJob = { readonly sessionId: string };

function createWorker(
  backend: Backend,
  concurrency: number,
  processor: Processor<LaneJob, void>,
): JobWorker {
  // A dead worker's job is picked up after about 6 s instead of the 60 s of the defaults.
  const options = { concurrency, lockDuration: 5_000, stalledInterval: 2_000, maxStalledCount: 5 };
  if (backend.kind === 'redis') {
    return new Worker(LANE_QUEUE, processor, { ...options, connection: backend.redis });
  }
  const connection = backend.pool;
  return new Worker(LANE_QUEUE, processor, { ...options, connection }, createPostgresBackend);
}
