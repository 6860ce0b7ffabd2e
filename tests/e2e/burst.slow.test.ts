import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'slonik';
import { afterAll, beforeAll, test } from 'vitest';
import { z } from 'zod';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';
import { burst, expectAllToAgree, SESSIONS } from './burst.ts';

const system = useSystem();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
});

test('200 concurrent transfers on one session: right answers, one landing and one decision each', async () => {
  await expectAllToAgree(await burst(system(), fixture, { sessions: 1, perSession: 200 }));
}, 150_000);

test('a burst with kill -9 of each worker in the middle: the same', async () => {
  // So many that some are still queued when the second worker is killed.
  const running = burst(system(), fixture, { sessions: SESSIONS, perSession: 30 });
  for (const worker of ['tx-worker', 'confirm-worker']) {
    await spendsUnderWay();
    await system().kill(worker, 'SIGKILL');
    await system().restart(worker);
  }
  await expectAllToAgree(await running);
}, 200_000);

/** Waits until some spends are in flight and more are queued behind them. */
async function spendsUnderWay(): Promise<void> {
  const counts = z.object({ queued: z.number(), inFlight: z.number() });
  await waitUntil(
    'spends under way',
    async () => {
      const { queued, inFlight } = await fixture.db.one(sql.type(counts)`
        select count(*) filter (where status = 'queued')::int as queued,
          count(*) filter (where status = 'in_flight')::int as "inFlight"
        from spend
      `);
      return queued > 20 && inFlight > 5;
    },
    { timeoutMs: 60_000 },
  );
  await delay(Math.random() * 200);
}
