import type { ResealPage } from '@agent-wallet/keystore';
import { createLogger } from '@agent-wallet/process';
import { expect, test } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { createResealPass } from './reseal-pass.ts';

const FIRST: ResealPage = { resealed: 200, unopened: 0, next: 'm' };
const LAST: ResealPage = { resealed: 3, unopened: 1, next: null };

test('a round seals page after page, counts the keys that did not open, and begins again', async () => {
  const metrics = createMetrics();
  const read: string[] = [];
  const pass = createResealPass({
    keystore: {
      reseal: async (after) => {
        read.push(after);
        return after === '' ? FIRST : LAST;
      },
    },
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics,
  });
  const nextPageMs = await pass();
  const nextRoundMs = await pass();
  await pass();
  expect(read).toEqual(['', 'm', '']);
  expect(nextRoundMs).toBeGreaterThan(nextPageMs);
  expect((await metrics.sessionKeysResealed.get()).values[0]?.value).toBe(403);
  expect((await metrics.sessionKeysUnopened.get()).values[0]?.value).toBe(1);
});
