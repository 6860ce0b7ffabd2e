import {
  applySpend,
  blastRadius,
  countedBuckets,
  emptySpendWindow,
  type SpendWindow,
} from '@agent-wallet/policy';
import * as fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { type LimitedSession, worstCase } from './worst-case.ts';

const HOUR = 3_600;
const NOON = 500_000 * HOUR;
const SESSION: LimitedSession = {
  daily_cap: 100n,
  expiry: NOON + 30 * 24 * HOUR,
  allowed_instructions: 1,
  allowed_recipients: ['recipient'],
};
const NOTHING = { now: 0n, within_24h: 0n, until_expiry: 0n };
const atNoon = (session: Partial<LimitedSession>) =>
  worstCase({ ...SESSION, ...session }, new Date(NOON * 1_000));

test('a new session can spend its cap now, and again every 25 hours', () => {
  expect(atNoon({})).toEqual({ now: 100n, within_24h: 100n, until_expiry: 2_900n });
});

test('what was spent this hour does not come back within a day, what was spent before does', () => {
  const spent = [
    { hour: NOON - 10 * HOUR, amount: 30n },
    { hour: NOON, amount: 60n },
  ];
  expect(atNoon({ daily_spent_by_hour: spent })).toMatchObject({ now: 10n, within_24h: 40n });
});

it.each<[string, Partial<LimitedSession>]>([
  ['expired', { expiry: NOON - 1 }],
  ['revoked', { status: 'revoked' }],
  ['without the right to transfer', { allowed_instructions: 6 }],
  ['without recipients', { allowed_recipients: [] }],
])('is nothing for a session that is %s', (_name, session) => {
  expect(atNoon(session)).toEqual(NOTHING);
});

test('is that of the program for every history that the API can list, also when it is read later', () => {
  const offsets = fc.integer({ min: 0, max: 60 * HOUR });
  const amounts = fc.bigInt({ min: 1n, max: 120n });
  const histories = fc
    .array(fc.tuple(offsets, amounts), { maxLength: 12 })
    .map((spends) =>
      spends
        .toSorted(([a], [b]) => b - a)
        .reduce<SpendWindow>(
          (window, [ago, amount]) => applySpend(window, BigInt(NOON - ago), amount),
          emptySpendWindow(),
        ),
    );
  fc.assert(
    fc.property(histories, amounts, offsets, offsets, (window, dailyCap, lasts, later) => {
      const listed = countedBuckets(window, BigInt(NOON)).map(({ startSeconds, amount }) => ({
        hour: Number(startSeconds),
        amount,
      }));
      const at = NOON + later;
      const session = { ...SESSION, daily_cap: dailyCap, expiry: NOON + lasts };
      const { byLimits } = blastRadius(
        {
          paused: false,
          expiry: BigInt(session.expiry),
          allowedInstructions: 1,
          maxPerTx: 1n,
          dailyCap,
          recipients: ['recipient'],
          window,
        },
        { liquid: 0n, deployed: 0n, value: 0n, maxDeployedFractionBp: 0 },
        BigInt(at),
      );
      const found = worstCase({ ...session, daily_spent_by_hour: listed }, new Date(at * 1_000));
      expect(found).toEqual({
        now: byLimits.now,
        within_24h: byLimits.within24h,
        until_expiry: byLimits.untilExpiry,
      });
    }),
    { numRuns: 500 },
  );
});
