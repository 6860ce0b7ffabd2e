import { expect, test } from 'vitest';
import { ATTEMPTS_PER_PASS, createWatchPace } from './watch-pace.ts';

test('the pace is quick with open attempts and for a while after one was stored', () => {
  let nowMs = 0;
  const pace = createWatchPace({ monotonicMs: () => nowMs, areHintsLive: () => false });
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
  for (const areLive of [true, false]) {
    const pace = createWatchPace({ monotonicMs: () => 0, areHintsLive: () => areLive });
    expect(pace.delayMsAfter(0)).toBeLessThanOrEqual(1_000);
  }
});

test('a stored attempt wakes the watch unless subscriptions are live', () => {
  let areLive = true;
  const pace = createWatchPace({ monotonicMs: () => 0, areHintsLive: () => areLive });
  expect(pace.quicken()).toBe(false);
  areLive = false;
  expect(createWatchPace({ monotonicMs: () => 0, areHintsLive: () => areLive }).quicken()).toBe(
    true,
  );
});

test.each([true, false])('a full pass is followed by another at once, with hints %s', (areLive) => {
  const pace = createWatchPace({ monotonicMs: () => 0, areHintsLive: () => areLive });
  expect(pace.delayMsAfter(ATTEMPTS_PER_PASS)).toBe(0);
});
