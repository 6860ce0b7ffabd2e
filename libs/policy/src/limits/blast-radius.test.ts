import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { blastRadius, type Holdings, sumBlastRadius } from './blast-radius.ts';
import { type LimitState, predictProgramRefusal, predictVaultRefusal } from './mirrored-limits.ts';
import { applySpend, emptySpendWindow, mostSpendable, type SpendWindow } from './spend-window.ts';

const HOUR = 3_600n;
const DAY = 86_400n;
const NOON = 500_000n * HOUR;
const RECIPIENT = 'recipient';

const SESSION: LimitState = {
  paused: false,
  expiry: NOON + 30n * DAY,
  allowedInstructions: 1,
  maxPerTx: 10n,
  dailyCap: 100n,
  recipients: [RECIPIENT],
  window: emptySpendWindow(),
};
const HOLDINGS: Holdings = { liquid: 1_000n, deployed: 0n, value: 0n, maxDeployedFractionBp: 0 };

const radius = (session: Partial<LimitState> = {}, holdings: Partial<Holdings> = {}) =>
  blastRadius({ ...SESSION, ...session }, { ...HOLDINGS, ...holdings }, NOON);
const none = { now: 0n, within24h: 0n, untilExpiry: 0n };

describe('a stolen session key', () => {
  it('moves the cap now, no more within a day, and the cap again every 25 hours', () => {
    expect(radius().byLimits).toEqual({ now: 100n, within24h: 100n, untilExpiry: 2_900n });
  });

  it('moves many amounts, however small each must be', () => {
    expect(radius({ maxPerTx: 1n }).byLimits.now).toBe(100n);
  });

  it('moves within a day what the window releases meanwhile', () => {
    const window = applySpend(emptySpendWindow(), NOON - 10n * HOUR, 60n);
    expect(radius({ window }).byLimits).toMatchObject({ now: 40n, within24h: 100n });
  });

  it('moves nothing of this hour again within the day', () => {
    const window = applySpend(emptySpendWindow(), NOON, 60n);
    expect(radius({ window }).byLimits).toMatchObject({ now: 40n, within24h: 40n });
  });

  it('moves nothing beyond the expiry, whose second still counts', () => {
    const window = applySpend(emptySpendWindow(), NOON - 10n * HOUR, 60n);
    const freed = NOON + 15n * HOUR;
    expect(radius({ window, expiry: freed }).byLimits.untilExpiry).toBe(100n);
    expect(radius({ window, expiry: freed - 1n }).byLimits).toEqual({
      now: 40n,
      within24h: 40n,
      untilExpiry: 40n,
    });
  });

  it.each<[string, Partial<LimitState>]>([
    ['paused', { paused: true }],
    ['expired', { expiry: NOON - 1n }],
    ['without the transfer bit', { allowedInstructions: 6 }],
    ['without recipients', { recipients: [] }],
  ])('moves nothing out of a session that is %s', (_case, session) => {
    expect(radius(session, { value: 50n, deployed: 50n }).byLimits).toEqual(none);
    expect(radius(session, { value: 50n, deployed: 50n }).ofHoldings).toEqual(none);
  });

  it('gets no more than the vault holds, and what is deployed only with its bit', () => {
    const holdings = { liquid: 30n, deployed: 40n, value: 45n };
    expect(radius({}, holdings).ofHoldings.now).toBe(30n);
    expect(radius({ allowedInstructions: 5 }, holdings)).toMatchObject({
      ofHoldings: { now: 75n, within24h: 75n, untilExpiry: 75n },
      yieldWithdraw: 45n,
      yieldDeposit: 0n,
    });
  });

  it('deposits what the fraction allows, and no more than is liquid', () => {
    const yields = { allowedInstructions: 2 };
    const holdings = { liquid: 60n, deployed: 40n, value: 40n };
    const most = (bp: number): bigint =>
      radius(yields, { ...holdings, maxDeployedFractionBp: bp }).yieldDeposit;
    expect([most(0), most(4_000), most(5_000), most(10_000)]).toEqual([0n, 0n, 10n, 60n]);
    expect(
      radius({ ...yields, paused: true }, { ...holdings, maxDeployedFractionBp: 10_000 }),
    ).toMatchObject({ yieldDeposit: 0n, yieldWithdraw: 0n });
  });

  it('adds up limits with the other keys of the wallet, but never their holdings', () => {
    const holdings = { ...HOLDINGS, liquid: 150n, deployed: 20n, value: 20n };
    const sessions = [SESSION, { ...SESSION, allowedInstructions: 5 }].map((session) =>
      blastRadius(session, holdings, NOON),
    );
    expect(sumBlastRadius(sessions, holdings)).toMatchObject({
      byLimits: { now: 200n },
      ofHoldings: { now: 170n },
      yieldWithdraw: 20n,
    });
    expect(sumBlastRadius([], holdings).byLimits).toEqual(none);
  });
});

const amounts = fc.bigInt({ min: 1n, max: 120n });
const offsets = fc.bigInt({ min: 0n, max: 60n * HOUR });
/** Spends before now that the program would have allowed under some cap. */
const histories = fc
  .array(fc.tuple(offsets, amounts), { maxLength: 12 })
  .map((spends) =>
    spends
      .toSorted(([a], [b]) => (a > b ? -1 : 1))
      .reduce(
        (window, [ago, amount]) => applySpend(window, NOON - ago, amount),
        emptySpendWindow(),
      ),
  );

describe('by the rules of the program', () => {
  it('no thief gets more, whenever it spends', () => {
    const attempts = fc.array(fc.tuple(offsets, amounts), { maxLength: 60 });
    const caps = fc.bigInt({ min: 1n, max: 200n });
    fc.assert(
      fc.property(histories, attempts, caps, offsets, (window, tries, dailyCap, lasts) => {
        const session = { ...SESSION, window, dailyCap, expiry: NOON + lasts, maxPerTx: 50n };
        const bound = blastRadius(session, HOLDINGS, NOON).byLimits;
        const got = { now: 0n, within24h: 0n, untilExpiry: 0n };
        let state: LimitState = session;
        for (const [after, amount] of tries.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          const nowSeconds = NOON + after;
          const request = { instruction: 'transfer_usdc', amount, recipient: RECIPIENT } as const;
          if (predictProgramRefusal(state, { ...request, nowSeconds }) !== null) continue;
          state = { ...state, window: applySpend(state.window, nowSeconds, amount) };
          if (after === 0n) got.now += amount;
          if (after <= DAY) got.within24h += amount;
          got.untilExpiry += amount;
        }
        expect(got.now).toBeLessThanOrEqual(bound.now);
        expect(got.within24h).toBeLessThanOrEqual(bound.within24h);
        expect(got.untilExpiry).toBeLessThanOrEqual(bound.untilExpiry);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a thief that takes each base unit as soon as possible gets exactly that', () => {
    const caps = fc.bigInt({ min: 1n, max: 300n });
    const horizons = fc.bigInt({ min: 0n, max: 80n * HOUR });
    fc.assert(
      fc.property(histories, caps, horizons, (window, cap, lasts) => {
        const untilSeconds = NOON + lasts;
        const most = mostSpendable(window, cap, { nowSeconds: NOON, untilSeconds });
        expect(takenGreedily(window, cap, untilSeconds)).toBe(most);
      }),
      { numRuns: 2_000 },
    );
  });

  it('no single deposit above the returned amount passes, and that amount passes', () => {
    const units = fc.bigInt({ min: 0n, max: 1_000n });
    fc.assert(
      fc.property(units, units, fc.integer({ min: 0, max: 10_000 }), (liquid, deployed, bp) => {
        const vault = { liquid, deployed, maxDeployedFractionBp: bp };
        const most = radius({ allowedInstructions: 2 }, vault).yieldDeposit;
        const passes = (amount: bigint): boolean =>
          amount <= liquid &&
          predictVaultRefusal(vault, { instruction: 'yield_deposit', amount }) === null;
        expect([most === 0n || passes(most), passes(most + 1n)]).toEqual([true, false]);
      }),
    );
  });
});

/**
 * The sum of all passing spends, now and at each full hour, when the window releases something.
 */
function takenGreedily(before: SpendWindow, cap: bigint, untilSeconds: bigint): bigint {
  let window = before;
  let taken = 0n;
  for (let at = NOON; at <= untilSeconds; at += HOUR) {
    const free = mostSpendable(window, cap, { nowSeconds: at, untilSeconds: at });
    window = applySpend(window, at, free);
    taken += free;
  }
  return taken;
}
