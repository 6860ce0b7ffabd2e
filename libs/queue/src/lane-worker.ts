import { endsWithin } from '@agent-wallet/process';
import { type Processor, Worker } from 'bullmq';
import {
  type Backend,
  createPostgresBackend,
  LANE_QUEUE,
  openBackend,
  type QueueTarget,
} from './backend.ts';
import { CLOSE_TIMEOUT_MS } from './timeouts.ts';

export type LaneWorker = {
  /** Takes no more jobs and waits at most `deadlineMs` for the running ones. */
  readonly close: (deadlineMs: number) => Promise<void>;
};

type LaneWorkerOptions = {
  readonly target: QueueTarget;
  readonly concurrency: number;
  /** Runs a wallet's lanes. It handles its own faults; a throw only marks the job as failed. */
  readonly runWallet: (walletId: string) => Promise<void>;
  readonly onError: (error: Error) => void;
};

/** Opens the consuming side of the lanes' queue. Each job names a wallet. */
export async function openLaneWorker(options: LaneWorkerOptions): Promise<LaneWorker> {
  const backend = await openBackend(options.target, 'worker', options.onError);
  const runs = new Set<Promise<void>>();
  const worker = createWorker(backend, options.concurrency, async (job) => {
    const { walletId } = job.data;
    // A job of an earlier version names a session. The sweep finds its rows.
    if (walletId === undefined) return;
    const run = options.runWallet(walletId);
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
      // The wait is here, because BullMQ heeds `force` only in the first call of close.
      const areDone = await endsWithin(Promise.allSettled(runs), deadlineMs);
      // A forced close is safe: the lane's lease runs out and the sweep nudges again.
      // It waits for ever for a Redis that is away. What is late ends with its connection.
      await endsWithin(worker.close(!areDone), CLOSE_TIMEOUT_MS);
      await backend.close();
    },
  };
}

/** The part of BullMQ's Worker that both stores share. */
type JobWorker = {
  pause(doNotWaitActive?: boolean): Promise<void>;
  close(force?: boolean): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

type LaneJob = { readonly walletId?: string };

function createWorker(
  backend: Backend,
  concurrency: number,
  processor: Processor<LaneJob, void>,
): JobWorker {
  const options = {
    concurrency,
    // A dead worker's job is taken over after about 6 s, not after the default 60 s.
    lockDuration: 5_000,
    stalledInterval: 2_000,
    maxStalledCount: 5,
    // The worker requests jobs again soon after a fault of the store. The default delay is 15 s.
    runRetryDelay: 1_000,
  };
  if (backend.kind === 'redis') {
    const { redis, prefix } = backend;
    return new Worker(LANE_QUEUE, processor, { ...options, connection: redis, prefix });
  }
  const connection = backend.pool;
  return new Worker(LANE_QUEUE, processor, { ...options, connection }, createPostgresBackend);
}
