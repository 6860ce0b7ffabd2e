import { expect, test } from 'vitest';
import { killAtRandom } from './disturb/processes.ts';
import { runRow } from './run-row.ts';

/** A short form of `npm run chaos`: one seed, one profile of lies, ten kills. */
test('under load, kill -9 and lost answers, every spend lands once or not at all', async () => {
  const result = await runRow(
    { name: 'short form', profile: 'drops', disturb: killAtRandom, leastFaults: 10 },
    {
      seed: process.env['CHAOS_SEED'] ?? 'short',
      takeTurn: async () => ({ driveMs: 10_000, end: () => {} }),
      laneDepth: 32,
      atOnce: 24,
      cast: { wallets: 2, sessionsEach: 4 },
    },
  );
  const { landedTwice, lost, unsettled, illegal } = result;
  expect({ landedTwice, lost, unsettled, illegal }).toEqual({
    landedTwice: [],
    lost: [],
    unsettled: 0,
    illegal: [],
  });
  expect(result.made).toBeGreaterThanOrEqual(10);
  expect(result.spends).toBeGreaterThan(10);
}, 400_000);
