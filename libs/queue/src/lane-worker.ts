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
  const worker = createWorker(backend, options.concurrency, async (job) => {
    await options.runLane(job.data.sessionId);
  });
  worker.on('error', options.onError);
  return {
    close: async (deadlineMs) => {
      const drained = worker.close().then(() => true);
      const late = new Promise<false>((resolve) => {
        setTimeout(resolve, deadlineMs, false).unref();
      });
      // A job cut off here is safe: its lane's lease runs out and the sweeper nudges again.
      if (!(await Promise.race([drained, late]))) await worker.close(true);
      await backend.close();
    },
  };
}

/** The part of BullMQ's Worker that is used here, the same for both stores. */
type JobWorker = {
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
