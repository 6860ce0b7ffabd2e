import { join } from 'node:path';
import { sql } from 'slonik';
import { expect, inject, test } from 'vitest';
import { killOneOfEach, type TwoOfEach, withTwoOfEach } from '../ops/two-of-each.ts';
import { createTestDatabase } from '../support/database/test-database.ts';
import { callApi } from '../support/http/http-owner.ts';

const BURST = 60;
const PER_SECOND = 20;

/** Sends requests of one session to one copy after the other; returns how many were allowed. */
async function allowedOf({ apis }: TwoOfEach, apiKey: string, requests: number): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const replies = await Promise.all(
    Array.from({ length: requests }, (_, n) =>
      callApi(apis[n % apis.length] ?? expect.fail(), 'GET', '/v1/spends', { headers }),
    ),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
  return replies.filter(({ status }) => status === 200).length;
}

/** The limit, and what was added meanwhile. */
async function expectOneLimit(world: TwoOfEach): Promise<void> {
  const recipient = await world.fixture.createRecipient();
  const { apiKey } = await world.owner.createSession({ recipients: [recipient] });
  const startedMs = performance.now();
  const allowed = await allowedOf(world, apiKey, 3 * BURST);
  const seconds = (performance.now() - startedMs) / 1_000;
  // Without the store, a copy that was killed takes its part for as long as it is counted.
  expect(allowed).toBeGreaterThanOrEqual(0.5 * BURST);
  expect(allowed).toBeLessThanOrEqual(BURST + PER_SECOND * seconds);
}

test('two of each: a killed copy of each is missed by nobody, and a rate limit holds over both APIs', async () => {
  await using database = await createTestDatabase();
  const options = {
    databaseUrl: database.url,
    dataDir: join(inject('systemsDir'), `${process.pid}-two-of-each`),
    env: { api: { RATE_PER_SECOND: String(PER_SECOND), RATE_BURST: String(BURST) } },
  };
  await withTwoOfEach(options, async (world) => {
    await killOneOfEach(world);
    await expectOneLimit(world);
    // The limits' store is gone: nobody is refused for that, and nobody is without a limit.
    await world.fixture.db.query(sql.unsafe`drop table token_bucket`);
    await expectOneLimit(world);
  });
}, 300_000);
