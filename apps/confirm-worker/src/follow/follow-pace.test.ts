import { expect, test } from 'vitest';
import { createFollowPace } from './follow-pace.ts';

const ASKED_MS = 500;

test('the follower is quick for a while after a notification, then slow', () => {
  let nowMs = 0;
  const pace = createFollowPace({ monotonicMs: () => nowMs, areHintsLive: () => true });
  expect(pace.delayMsAfter(ASKED_MS)).toBe(1_000);
  nowMs = 3_000;
  expect(pace.delayMsAfter(ASKED_MS)).toBe(5_000);
  expect(pace.quicken()).toBe(true);
  expect(pace.quicken()).toBe(false);
  nowMs = 5_999;
  expect(pace.delayMsAfter(ASKED_MS)).toBe(1_000);
});

test('the follower is never slow without live subscriptions, or while more is due', () => {
  let areLive = false;
  let nowMs = 0;
  const pace = createFollowPace({ monotonicMs: () => nowMs, areHintsLive: () => areLive });
  nowMs = 60_000;
  expect(pace.delayMsAfter(ASKED_MS)).toBe(ASKED_MS);
  areLive = true;
  expect(pace.delayMsAfter(0)).toBe(0);
});
