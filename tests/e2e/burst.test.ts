import { afterAll, beforeAll, test } from 'vitest';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { burst, expectAllToAgree, SESSIONS } from './burst.ts';

const system = useSystem();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
});

test.each([
  { sessions: 1, perSession: 20 },
  { sessions: SESSIONS, perSession: 10 },
])(
  '$perSession concurrent transfers on each of $sessions sessions: right answers, one landing and one decision each',
  async (size) => {
    await expectAllToAgree(await burst(system(), fixture, size));
  },
  150_000,
);
