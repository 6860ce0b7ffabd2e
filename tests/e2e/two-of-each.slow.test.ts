import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'slonik';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { killOneOfEach, type TwoOfEach, withTwoOfEach } from '../ops/two-of-each.ts';
import { createTestDatabase } from '../support/database/test-database.ts';
import { callApi } from '../support/http/http-owner.ts';
import { waitUntil } from '../support/wait-until.ts';

const BURST = 60;
const PER_SECOND = 20;
/** How often a copy counts the others. */
const COUNT_EVERY_MS = 2_000;

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
  expect(allowed).toBeGreaterThanOrEqual(0.9 * BURST);
  expect(allowed).toBeLessThanOrEqual(BURST + PER_SECOND * seconds);
}

/** Without their store, the copies divide the limits by the copies that were seen lately. */
const hasTwoApis = ({ fixture: { db } }: TwoOfEach): Promise<boolean> =>
  db.oneFirst(sql.type(z.object({ are: z.boolean() }))`
    select count(*) = 2 as are from api_copy
  `);

test('two of each: a killed copy of each is missed by nobody, and a rate limit holds over both APIs', async () => {
  await using database = await createTestDatabase();
  const options = {
    databaseUrl: database.url,
    dataDir: join(inject('systemsDir'), `${process.pid}-two-of-each`),
    env: { api: { RATE_PER_SECOND: String(PER_SECOND), RATE_BURST: String(BURST) } },
  };
  await withTwoOfEach(options, async (world) => {
    await killOneOfEach(world);
    await waitUntil('the killed API is no longer counted', () => hasTwoApis(world), {
      timeoutMs: 30_000,
      intervalMs: 250,
    });
    // The copy that did not delete its row counts once more.
    await delay(2 * COUNT_EVERY_MS);
    await expectOneLimit(world);
    // The limits' store is gone: nobody is refused for that, and nobody is without a limit.
    await world.fixture.db.query(sql.unsafe`drop table token_bucket`);
    await expectOneLimit(world);
  });
}, 300_000);
