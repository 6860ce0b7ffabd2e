import { expect, test } from 'vitest';
import { createRestartPlan } from './restart-plan.ts';

test('the pauses double, and the fifth exit within a minute is the last', () => {
  let nowMs = 0;
  const plan = createRestartPlan(() => nowMs);
  const pauses = [1, 2, 3, 4, 5].map(() => {
    nowMs += 14_999;
    return plan.pauseAfterExit();
  });
  expect(pauses).toEqual([200, 400, 800, 1_600, null]);
});

test('exits of more than a minute ago do not count', () => {
  let nowMs = 0;
  const plan = createRestartPlan(() => nowMs);
  const pauses = [1, 2, 3, 4, 5, 6].map(() => {
    nowMs += 30_000;
    return plan.pauseAfterExit();
  });
  expect(pauses).toEqual([200, 400, 400, 400, 400, 400]);
});
