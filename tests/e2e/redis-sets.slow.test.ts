import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createAgentWallet } from '@agent-wallet/sdk';
import { openLaneQueue, openLaneWorker } from '@agent-wallet/queue';
import { startSystem } from '@agent-wallet/local-system/system/start-system.ts';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../support/database/test-database.ts';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { hasRedisServer } from '../support/queue/redis-server.ts';
import { startCluster, startSentinelSet } from '../support/queue/redis-sets.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A lost connection is part of these tests. */
const onError = (): void => {};

describe.skipIf(!hasRedisServer())('the queue on several Redis servers', () => {
  let stack = new AsyncDisposableStack();
  afterEach(async () => {
    await stack.disposeAsync();
    stack = new AsyncDisposableStack();
  });

  /** Opens both sides. The returned function nudges a wallet until its lanes have run. */
  async function openBoth(redisUrl: string): Promise<() => Promise<boolean>> {
    const target = { databaseUrl: '', redisUrl };
    const ran: string[] = [];
    const runWallet = async (id: string): Promise<void> => void ran.push(id);
    const worker = await openLaneWorker({ target, concurrency: 4, runWallet, onError });
    stack.defer(() => worker.close(1_000));
    const queue = await openLaneQueue(target, onError);
    stack.defer(() => queue.close());
    return () =>
      waitUntil(
        'a run',
        async () => {
          const walletId = randomUUID();
          await queue.nudge(walletId);
          // As the sweep does, which finds the row of a lost nudge.
          return waitUntil('this run', () => ran.includes(walletId), { timeoutMs: 2_000 }).then(
            () => true,
            () => false,
          );
        },
        { timeoutMs: 60_000 },
      );
  }

  test('a nudge arrives in a cluster', async () => {
    const nudge = await openBoth(await startCluster(stack));
    expect(await nudge()).toBe(true);
  });

  test('a nudge arrives over Sentinel, also after a failover', async () => {
    const set = await startSentinelSet(stack);
    const nudge = await openBoth(set.url);
    expect(await nudge()).toBe(true);
    await set.failOver();
    expect(await nudge()).toBe(true);
  });

  test('a failover of the master during spends loses none of them', async () => {
    const set = await startSentinelSet(stack);
    const database = stack.use(await createTestDatabase());
    const dataDir = join(inject('systemsDir'), `${process.pid}-sentinel`);
    const redisUrl = set.url;
    const system = stack.use(
      await startSystem({
        databaseUrl: database.url,
        redisUrl,
        dataDir,
        readyTimeoutMs: 180_000,
      }),
    );
    const fixture = stack.use(await createLaneFixture(system));
    const recipient = await fixture.createRecipient();
    const owner = await createHttpOwner(system, fixture, 1_000_000n);
    const { apiKey } = await owner.createSession({ recipients: [recipient] });
    const wallet = createAgentWallet({ url: system.urls.api, apiKey });
    const spend = (): Promise<{ status: string }> => wallet.transfer({ recipient, amount: 100n });
    const during = Promise.all([spend(), spend(), spend(), spend()]);
    await set.failOver();
    const answers = [...(await during), await spend()];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'confirmed'));
    expect(await fixture.balance(owner.vaultUsdcAta)).toBe(1_000_000n - 500n);
  });
});
