import { expect, test } from 'vitest';
import { createWatchPace } from './watch-pace.ts';

test('the pace is quick with open attempts and for a while after one was stored', () => {
  let nowMs = 0;
  const pace = createWatchPace(() => nowMs);
  const idleMs = pace.delayMsAfter(0);
  const busyMs = pace.delayMsAfter(1);
  expect(busyMs).toBeLessThan(idleMs);
  expect(pace.quicken()).toBe(true);
  expect(pace.delayMsAfter(0)).toBe(busyMs);
  nowMs = 1_999;
  expect(pace.quicken()).toBe(false);
  nowMs = 3_998;
  expect(pace.delayMsAfter(0)).toBe(busyMs);
  nowMs = 3_999;
  expect(pace.delayMsAfter(0)).toBe(idleMs);
  expect(pace.quicken()).toBe(true);
});

test('an idle worker makes at least one pass a second', () => {
  expect(createWatchPace(() => 0).delayMsAfter(0)).toBeLessThanOrEqual(1_000);
});
