import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { attempt, run } from '../support/call.ts';
import { transferUsdc, updateSessionLimits } from '../support/calls.ts';
import { NOW, setClock, setTokenAccount, U64_MAX, HOUR, DAY } from '../support/chain.ts';
import { expectError } from '../support/expect.ts';
import { type World, worldWithSession, paid } from '../support/world.ts';

const I64_MAX = 2n ** 63n - 1n;
/** The session's maximum per transfer and daily cap. */
const CAP = 100n;
const BEGIN_OF_HOUR = NOW - (NOW % HOUR);

const secondsIntoHour = [0n, 1n, 1_800n, HOUR - 1n];
const later = [1n, HOUR - 1n, HOUR, DAY - HOUR, DAY - 1n, DAY, DAY + 1n, DAY + HOUR - 1n];

describe('a cap that was spent at once', () => {
  const moments = secondsIntoHour.flatMap((into) => later.map((after) => [into, after] as const));
  it.each(moments)(
    '%i s into an hour is used %i s later as long as its hour counts',
    (into, after) => {
      const spentAt = BEGIN_OF_HOUR + into;
      const world = worldAt(spentAt);
      spend(world, 1n, CAP);
      setClock(world.svm, spentAt + after);
      const outcome = attempt(world, transferUsdc(world, { amount: 1n, spend_seq: 2n }));
      // The hour counts as long as any second of it lies in the last 24 hours.
      const isFree = spentAt + after >= BEGIN_OF_HOUR + HOUR + DAY;
      expect(isFree && after < DAY, 'the test allows two caps in 24 hours').toBe(false);
      const refusals = outcome.logs.filter((line) => line.includes('DailyCapExceeded'));
      expect([outcome.failed, refusals.length]).toEqual(isFree ? [false, 0] : [true, 1]);
    },
  );

  it.each(secondsIntoHour)('%i s into an hour is free again a day and an hour later', (into) => {
    const world = worldAt(BEGIN_OF_HOUR + into);
    spend(world, 1n, CAP);
    setClock(world.svm, BEGIN_OF_HOUR + into + DAY + HOUR);
    spend(world, 2n, CAP);
    expect(paid(world)).toBe(2n * CAP);
  });

  it.each([
    ['a second', 1n],
    ['an hour', HOUR],
    ['a day', DAY],
    ['25 hours', DAY + HOUR],
    ['a year', 365n * DAY],
    ['all the time there was', NOW],
  ])('is not free again when the clock goes back by %s', (_name, back) => {
    const world = worldAt(NOW);
    spend(world, 1n, CAP);
    setClock(world.svm, NOW - back);
    expectCapHolds(world, 2n, 1n);
    // Nor when it then advances again, up to where it was.
    setClock(world.svm, NOW - back + (back > DAY + HOUR ? DAY + HOUR : back));
    expectCapHolds(world, 2n, 1n);
    setClock(world.svm, NOW + DAY - 1n);
    expectCapHolds(world, 2n, 1n);
  });

  it('at a clock that ran ahead is not free again once the clock is corrected', () => {
    const world = worldAt(NOW);
    setClock(world.svm, NOW + 2n * DAY);
    spend(world, 1n, CAP);
    for (const clock of [NOW, NOW + DAY, NOW + 2n * DAY, NOW + 3n * DAY - 1n]) {
      setClock(world.svm, clock);
      expectCapHolds(world, 2n, 1n);
    }
  });

  it('is shared by spends at a clock that ran ahead and after its correction', () => {
    const world = worldAt(NOW);
    spend(world, 1n, CAP);
    setClock(world.svm, NOW + 2n * DAY);
    spend(world, 2n, 1n);
    setClock(world.svm, NOW + HOUR);
    expectCapHolds(world, 3n, CAP);
    spend(world, 3n, CAP - 1n);
    // By the chain's clock, the first and the last spend are an hour apart: the promise of 24 hours
    // holds for a clock that does not go back.
    expect(paid(world)).toBe(2n * CAP);
  });

  it.each([-1n, -NOW, -I64_MAX - 1n])('is not free at the negative clock %i', (clock) => {
    const world = worldAt(NOW);
    setClock(world.svm, clock);
    expectError(attempt(world, transferUsdc(world)), 'InvalidClock');
  });

  it('at the last possible second counts then and before', () => {
    const world = worldAt(NOW, { expiry: I64_MAX });
    setClock(world.svm, I64_MAX);
    spend(world, 1n, CAP);
    expectCapHolds(world, 2n, 1n);
    setClock(world.svm, NOW);
    expectCapHolds(world, 2n, 1n);
  });

  it('is not free again when the owner sets the same limits again', () => {
    const world = worldAt(NOW);
    spend(world, 1n, CAP);
    const expiry = NOW + 60n * DAY;
    run(world, updateSessionLimits(world, { max_per_tx: CAP, daily_cap: CAP, expiry }));
    expectCapHolds(world, 2n, 1n);
    setClock(world.svm, NOW + DAY - 1n);
    expectCapHolds(world, 2n, 1n);
  });
});

describe('a cap that is spent in small amounts', () => {
  it('holds across an hour change, one unit per second', () => {
    const world = worldAt(BEGIN_OF_HOUR + HOUR - 50n);
    for (let unit = 0n; unit < CAP; unit += 1n) {
      setClock(world.svm, BEGIN_OF_HOUR + HOUR - 50n + unit);
      spend(world, unit + 1n, 1n);
    }
    expectCapHolds(world, CAP + 1n, 1n);
    // The earlier hour's half becomes free one hour before the later one's.
    setClock(world.svm, BEGIN_OF_HOUR + HOUR + DAY);
    expectCapHolds(world, CAP + 1n, 51n);
    spend(world, CAP + 1n, 50n);
  });

  it.each(['first', 'second', 'third'])(
    'is exceeded in no 24 hours, at clocks drawn from the %s seed',
    (seed) => {
      const world = worldAt(NOW);
      const landed: { readonly at: bigint; readonly amount: bigint }[] = [];
      let clock = NOW;
      for (let step = 0; step < 300; step += 1) {
        clock += moveOf(seed, step);
        setClock(world.svm, clock);
        const amount = BigInt(1 + (draw(seed, step, 'amount') % 60));
        const call = transferUsdc(world, { amount, spend_seq: BigInt(step + 1) });
        const { failed } = attempt(world, call);
        if (!failed) landed.push({ at: clock, amount });
      }
      // The clock only advances here, so the program's view is exact.
      for (const { at } of landed) {
        const inDay = landed.filter((one) => one.at > at - DAY && one.at <= at);
        expect(inDay.reduce((sum, { amount }) => sum + amount, 0n)).toBeLessThanOrEqual(CAP);
      }
      expect(landed.length).toBeGreaterThan(20);
      expect(paid(world)).toBe(landed.reduce((sum, { amount }) => sum + amount, 0n));
    },
  );
});

describe('a cap of all 64 bits', () => {
  it.each([
    [U64_MAX, 1n],
    [U64_MAX - 1n, 2n],
    [1n, U64_MAX],
    [2n ** 63n, 2n ** 63n],
  ])('does not wrap around: %i and then %i', (first, second) => {
    const limits = { max_per_tx: U64_MAX, daily_cap: U64_MAX, expiry: I64_MAX };
    const world = worldAt(NOW, limits, U64_MAX);
    spend(world, 1n, first);
    setClock(world.svm, NOW + HOUR);
    expectCapHolds(world, 2n, second);
    expect(paid(world)).toBe(first);
  });
});

function worldAt(
  clock: bigint,
  limits: Parameters<typeof worldWithSession>[0] = {},
  balance?: bigint,
): World {
  const defaults = { max_per_tx: CAP, daily_cap: CAP, expiry: NOW + 1_000n * DAY };
  const world = worldWithSession({ ...defaults, ...limits });
  if (balance !== undefined) setTokenAccount(world.svm, world.vault, balance);
  setClock(world.svm, clock);
  return world;
}

function spend(world: World, spend_seq: bigint, amount: bigint): void {
  run(world, transferUsdc(world, { amount, spend_seq }));
}

function expectCapHolds(world: World, spend_seq: bigint, amount: bigint): void {
  expectError(attempt(world, transferUsdc(world, { amount, spend_seq })), 'DailyCapExceeded');
}

/** Seconds before a step: mostly minutes, sometimes up to the edge of a day. */
function moveOf(seed: string, step: number): bigint {
  const kind = draw(seed, step, 'kind') % 10;
  if (kind === 0) return DAY - BigInt(draw(seed, step, 'edge') % 3);
  if (kind < 4) return HOUR - 1n + BigInt(draw(seed, step, 'hour') % 3);
  return BigInt(draw(seed, step, 'minutes') % 2_000);
}

function draw(seed: string, step: number, what: string): number {
  return createHash('sha256').update(`${seed} ${step} ${what}`).digest().readUInt32LE();
}
