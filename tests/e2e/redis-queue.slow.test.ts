import { join } from 'node:path';
import { createAgentWallet } from '@agent-wallet/sdk';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { REDIS_BACKEND } from '../support/queue/queue-backends.ts';
import { createTestDatabase } from '../support/database/test-database.ts';

describe.skipIf(REDIS_BACKEND.missing !== null)('the system with its queue on Redis', () => {
  const stack = new AsyncDisposableStack();
  let system: System;
  let fixture: LaneFixture;
  let redisUrl: string;

  beforeAll(async () => {
    redisUrl = await REDIS_BACKEND.open(stack);
    const database = stack.use(await createTestDatabase());
    const dataDir = join(inject('systemsDir'), `${process.pid}-redis`);
    system = stack.use(await startSystem({ databaseUrl: database.url, redisUrl, dataDir }));
    fixture = stack.use(await createLaneFixture(system));
  });
  afterAll(() => stack.disposeAsync());

  test('transfers of several sessions are confirmed, also when the queue is emptied', async () => {
    const recipient = await fixture.createRecipient();
    const owner = await createHttpOwner(system, fixture, 1_000_000n);
    const sessions = await Promise.all(
      Array.from({ length: 4 }, () => owner.createSession({ recipients: [recipient] })),
    );
    const requests = sessions.flatMap(({ apiKey }) => {
      const wallet = createAgentWallet({ url: system.urls.api, apiKey });
      const amounts = [100n, 101n, 102n, 103n, 104n, 105n];
      return amounts.map((amount) => wallet.transfer({ recipient, amount }));
    });
    const redis = new Redis(redisUrl);
    await redis.flushdb();
    redis.disconnect();
    const answers = await Promise.all(requests);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'confirmed'));
    const sum = 4n * (100n + 101n + 102n + 103n + 104n + 105n);
    expect(await fixture.balance(owner.vaultUsdcAta)).toBe(1_000_000n - sum);
  }, 90_000);
});
