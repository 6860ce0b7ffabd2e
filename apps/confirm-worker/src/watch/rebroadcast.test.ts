import type { Send } from '@agent-wallet/chain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSpendRows, type SpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { watchedAttempt } from '../../fixtures/watched-attempt.ts';
import { createMetrics } from '../metrics.ts';
import { createRebroadcast, isDueForRebroadcast } from './rebroadcast.ts';

const neverRead = (): Promise<never> => Promise.reject(new Error('must not be read'));
const neverSend: Send = () => Promise.reject(new Error('must not be sent'));

describe('the bytes are due', () => {
  const sentAgain = { broadcasts: 1, storedMsAgo: 60_000 };
  test.each<[string, Parameters<typeof watchedAttempt>[0], boolean]>([
    ['not while the first send may still be refused', { storedMsAgo: 999 }, false],
    ['a second after they were stored', { storedMsAgo: 1_000 }, true],
    ['not while the first send is held', { storedMsAgo: 2_500, broadcastMsAgo: 1_999 }, false],
    ['once it is no longer held', { storedMsAgo: 2_500, broadcastMsAgo: 2_000 }, true],
    ['at once after a first send that failed', { storedMsAgo: 1, broadcastMsAgo: 1e12 }, true],
    ['not right after a re-send', { ...sentAgain, broadcastMsAgo: 1_999 }, false],
    ['two seconds after a re-send', { ...sentAgain, broadcastMsAgo: 2_000 }, true],
    ['after a re-send without a known time', sentAgain, true],
    ['not for an older attempt', { storedMsAgo: 9_000, attempt: 2, attemptNo: 1 }, false],
    ['not once the spend is queued again', { storedMsAgo: 9_000, status: 'queued' }, false],
    ['not once the spend is rejected', { storedMsAgo: 9_000, status: 'rejected' }, false],
    [
      'for a confirmed spend that is watched again',
      { storedMsAgo: 9_000, status: 'confirmed' },
      true,
    ],
    [
      'not for another attempt than the confirmed one',
      { storedMsAgo: 9_000, status: 'confirmed', txSignature: 'of another attempt' },
      false,
    ],
    [
      'not for an older attempt of a confirmed spend',
      { storedMsAgo: 9_000, status: 'confirmed', attempt: 2, attemptNo: 1 },
      false,
    ],
    ['not once the spend is final', { storedMsAgo: 9_000, status: 'finalized' }, false],
    ['never for a facilitator payment', { storedMsAgo: 9_000, broadcaster: 'facilitator' }, false],
    [
      'not for a confirmed facilitator payment',
      { storedMsAgo: 9_000, broadcaster: 'facilitator', status: 'confirmed' },
      false,
    ],
    ['not once the spend is reverted', { storedMsAgo: 9_000, status: 'reverted' }, false],
  ])('%s', (_case, fields, expected) => {
    expect(isDueForRebroadcast(watchedAttempt(fields))).toBe(expected);
  });
});

describe('a re-send', () => {
  let rows: SpendRows;
  beforeAll(async () => {
    rows = await openSpendRows();
  });
  afterAll(() => rows[Symbol.asyncDispose]());

  test('is counted and committed before the same bytes are sent without preflight', async () => {
    const spend = await rows.accept(await rows.createSession());
    const { wire } = await rows.claim(spend);
    const seen: unknown[] = [];
    const rebroadcast = createRebroadcast({
      db: rows.db,
      metrics: createMetrics(),
      isUnused: neverRead,
      send: async (...call) => {
        const { broadcasts } = await rows.read(spend.spendId);
        seen.push([...call, broadcasts]);
        return { kind: 'unknown', message: 'timeout' };
      },
    });
    await rebroadcast(watchedAttempt({ ...spend, attemptNo: 1 }));
    expect(seen).toEqual([[Buffer.from(wire), { skipPreflight: true }, 1]]);
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'in_flight', broadcasts: 1 });
  });

  test('is not made for a spend that has settled meanwhile', async () => {
    const spend = await rows.accept(await rows.createSession());
    await rows.claim(spend);
    await rows.settle(spend, { kind: 'landed_error' });
    const rebroadcast = createRebroadcast({
      db: rows.db,
      metrics: createMetrics(),
      isUnused: neverRead,
      send: neverSend,
    });
    await rebroadcast(watchedAttempt({ ...spend, attemptNo: 1 }));
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'reverted', broadcasts: 0 });
  });
});
