import { randomUUID } from 'node:crypto';
import {
  type LaneQueue,
  type LaneWorker,
  openLaneQueue,
  openLaneWorker,
  type QueueTarget,
} from '@agent-wallet/queue';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabaseLogins } from '@agent-wallet/local-system/postgres/database-logins.ts';
import { migrateDatabase } from '@agent-wallet/migration';
import { createLatch } from '../support/latch.ts';
import { QUEUE_BACKENDS } from '../support/queue/queue-backends.ts';
import { type SilentProxy, startSilentProxy } from '../support/database/silent-proxy.ts';
import { createTestDatabase } from '../support/database/test-database.ts';
import { waitUntil } from '../support/wait-until.ts';

function failOnError(error: Error): never {
  throw error;
}

function add(counts: Map<string, number>, id: string, by: number): number {
  const count = (counts.get(id) ?? 0) + by;
  counts.set(id, count);
  return count;
}

describe.each(QUEUE_BACKENDS)("the lanes' queue on $name", ({ name, missing, open }) => {
  const isThere = missing === null;
  const file = new AsyncDisposableStack();
  let each = new AsyncDisposableStack();
  /** The queue is filled with the rights of the api and worked with those of the tx-worker. */
  let producing: QueueTarget;
  let working: QueueTarget;
  beforeAll(async () => {
    if (!isThere) return;
    const database = file.use(await createTestDatabase());
    await migrateDatabase(database.url);
    const logins = await createDatabaseLogins(database.url);
    file.defer(() => logins.drop());
    const redisUrl = await open(file);
    producing = { databaseUrl: logins.urls.api, redisUrl };
    working = { databaseUrl: logins.urls['tx-worker'], redisUrl };
  });
  afterEach(async () => {
    await each.disposeAsync();
    each = new AsyncDisposableStack();
  });
  afterAll(() => file.disposeAsync());

  async function openQueue(): Promise<LaneQueue> {
    const queue = await openLaneQueue(producing, failOnError);
    each.defer(() => queue.close());
    return queue;
  }

  /** The producers' store, behind a proxy that can fall silent. */
  async function openProxied(): Promise<{ target: QueueTarget; proxy: SilentProxy }> {
    const { databaseUrl, redisUrl } = producing;
    const url = new URL(redisUrl ?? databaseUrl);
    const proxy = each.use(await startSilentProxy(Number(url.port)));
    url.host = `127.0.0.1:${proxy.port}`;
    const target =
      redisUrl === undefined
        ? { databaseUrl: url.href, redisUrl }
        : { databaseUrl, redisUrl: url.href };
    return { target, proxy };
  }

  async function openWorker(runWallet: (walletId: string) => Promise<void>): Promise<LaneWorker> {
    const worker = await openLaneWorker({
      target: working,
      concurrency: 16,
      runWallet,
      // A job that was cut off by its worker's close has nobody to tell its end to.
      onError: () => {},
    });
    let closing: Promise<void> | undefined;
    const close = (deadlineMs: number): Promise<void> => (closing ??= worker.close(deadlineMs));
    each.defer(() => close(5_000));
    return { close };
  }

  test.runIf(isThere)('gives up a store that does not respond, and comes back to it', async () => {
    const { target, proxy } = await openProxied();
    const faults: Error[] = [];
    const queue = await openLaneQueue(target, (fault) => faults.push(fault));
    each.defer(() => queue.close());
    const ran: string[] = [];
    await openWorker(async (id) => void ran.push(id));
    proxy.isSilent = true;
    const waiting = queue.waiting();
    await Promise.all([
      queue.nudge(randomUUID()),
      expect(waiting).rejects.toThrow(/did not respond|timeout|writeable/),
    ]);
    expect(faults).not.toEqual([]);
    proxy.isSilent = false;
    await waitUntil('the store', async () => queue.waiting().catch(() => null));
    const walletId = randomUUID();
    await queue.nudge(walletId);
    await waitUntil('the run', () => ran.includes(walletId));
  });

  test.runIf(isThere)('loses no nudge and never runs one wallet twice at once', async () => {
    const wallets = Array.from({ length: 6 }, () => randomUUID());
    const requested = new Map<string, number>(wallets.map((id) => [id, 0]));
    const seen = new Map<string, number>(wallets.map((id) => [id, 0]));
    const running = new Map<string, number>(wallets.map((id) => [id, 0]));
    let mostAtOnce = 0;
    let runs = 0;
    await openWorker(async (id) => {
      runs += 1;
      mostAtOnce = Math.max(mostAtOnce, add(running, id, 1));
      seen.set(id, requested.get(id) ?? 0);
      await new Promise(setImmediate);
      add(running, id, -1);
    });
    const producers = await Promise.all([openQueue(), openQueue(), openQueue()]);
    await Promise.all(
      producers.map(async (producer) => {
        for (let round = 0; round < 20; round += 1) {
          await Promise.all(
            wallets.map((id) => {
              add(requested, id, 1);
              return producer.nudge(id);
            }),
          );
        }
      }),
    );
    await waitUntil('a run after the last nudge of each wallet', () =>
      wallets.every((id) => seen.get(id) === 60),
    );
    expect(mostAtOnce).toBe(1);
    expect(runs).toBeLessThanOrEqual(360);
  });

  test.runIf(isThere)('runs again after a nudge during a run, and only once', async () => {
    const id = randomUUID();
    const entered = [createLatch('the first run'), createLatch('the second run')];
    const end = createLatch('the end of the first run');
    let runs = 0;
    await openWorker(async (walletId) => {
      if (walletId !== id) return;
      entered[runs]?.open();
      runs += 1;
      if (runs === 1) await end.wait();
    });
    const queue = await openQueue();
    await queue.nudge(id);
    await entered[0]?.wait();
    for (let nudges = 0; nudges < 5; nudges += 1) await queue.nudge(id);
    expect(runs).toBe(1);
    end.open();
    await entered[1]?.wait();
    await waitUntil('nothing waits', async () => (await queue.waiting()) === 0);
    expect(runs).toBe(2);
  });

  test.runIf(isThere)('measures what waits and runs, and for how long', async () => {
    const queue = await openQueue();
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    await queue.nudge(first);
    const createdMs = Date.now();
    await waitUntil('a younger job', () => Date.now() > createdMs + 20);
    await queue.nudge(second);
    const loaded = await queue.load();
    expect(loaded).toMatchObject({ waiting: 2, active: 0 });
    expect(loaded.oldestSeconds).toBeGreaterThan(0.015);
    const running = createLatch('a run');
    const end = createLatch('the end');
    await openWorker(async (id) => {
      if (id === third) throw new Error('for the test');
      running.open();
      await end.wait();
    });
    await running.wait();
    await waitUntil('both run', async () => (await queue.load()).active === 2);
    expect(await queue.load()).toMatchObject({ waiting: 0, oldestSeconds: 0 });
    const { failed } = await queue.load();
    await queue.nudge(third);
    await waitUntil('the failure', async () => (await queue.load()).failed === failed + 1);
    end.open();
  });

  test.runIf(isThere)('does not let a stuck job swallow a nudge of the sweep', async () => {
    const id = randomUUID();
    const stuck = createLatch('the run that hangs');
    const beside = createLatch('a run beside it');
    const end = createLatch('the end');
    let runs = 0;
    await openWorker(async (walletId) => {
      if (walletId !== id) return;
      runs += 1;
      if (runs > 1) return beside.open();
      stuck.open();
      await end.wait();
    });
    const queue = await openQueue();
    await queue.nudge(id);
    await stuck.wait();
    await queue.nudge(id);
    await queue.nudge(id, { sessionId: randomUUID(), fence: 7n });
    await beside.wait();
    expect(runs).toBe(2);
    end.open();
  });

  test.runIf(isThere)('takes the next nudge after a run that failed', async () => {
    const id = randomUUID();
    const failed = createLatch('the run that fails');
    const next = createLatch('the next run');
    let runs = 0;
    await openWorker(async (walletId) => {
      if (walletId !== id) return;
      runs += 1;
      if (runs > 1) return next.open();
      failed.open();
      throw new Error('for the test');
    });
    const queue = await openQueue();
    await queue.nudge(id);
    await failed.wait();
    await queue.nudge(id);
    await next.wait();
    expect(runs).toBe(2);
  });

  test.runIf(isThere)('keeps a nudge until there is a worker', async () => {
    const id = randomUUID();
    const queue = await openQueue();
    await queue.nudge(id);
    expect(await queue.waiting()).toBe(1);
    const ran = createLatch<string>('a run');
    await openWorker(async (walletId) => ran.open(walletId));
    expect(await ran.wait()).toBe(id);
  });

  test.runIf(isThere)('waits for a running job when it is closed', async () => {
    const started = createLatch('a run');
    const end = createLatch('the end');
    const order: string[] = [];
    const worker = await openWorker(async () => {
      started.open();
      await end.wait();
      order.push('run ended');
    });
    await (await openQueue()).nudge(randomUUID());
    await started.wait();
    const closing = worker.close(10_000).then(() => order.push('closed'));
    await new Promise(setImmediate);
    end.open();
    await closing;
    expect(order).toEqual(['run ended', 'closed']);
  });

  test.runIf(isThere)('leaves a job that does not end behind at the deadline', async () => {
    const started = createLatch('a run');
    const end = createLatch('the end');
    const worker = await openWorker(async () => {
      started.open();
      await end.wait(30_000);
    });
    await (await openQueue()).nudge(randomUUID());
    await started.wait();
    const startedMs = performance.now();
    await worker.close(200);
    expect(performance.now() - startedMs).toBeLessThan(3_000);
    end.open();
  });

  // Beside a Postgres that is away there is no nudge to lose: the row cannot be written either.
  test.runIf(isThere && name === 'Redis')('tells a lost nudge and never throws it', async () => {
    const errors: Error[] = [];
    const queue = await openLaneQueue(producing, (error) => errors.push(error));
    await queue.close();
    await queue.nudge(randomUUID());
    expect(errors.length).toBeGreaterThan(0);
  });
});
