import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  addSession,
  revokeSession,
  transferUsdc,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import { attempt, type Call, run } from '../support/call.ts';
import { editData, FIRST_INDEX, U64_MAX } from '../support/chain.ts';
import { expectError } from '../support/expect.ts';
import { read, type World, worldWithReserve, worldWithSession, paid } from '../support/world.ts';

const FAR = 2n ** 32n;
const WINDOW = 256n;
const HIGHEST_SEQ_AT = 656;

describe('a sequence number', () => {
  it.each(['first', 'second'])(
    'of 300, each sent twice in an order of the %s seed, is executed at most once',
    (seed) => {
      const world = worldWithSession({ max_per_tx: 1n, daily_cap: 1_000n });
      const numbers = Array.from({ length: 300 }, (_, place) => BigInt(place + 1));
      const sent = inRandomOrder(seed, [...numbers, ...numbers]);
      const landed = sent.filter((spend_seq) => {
        const { failed } = attempt(world, transferUsdc(world, { amount: 1n, spend_seq }));
        return !failed;
      });
      expect(new Set(landed).size).toBe(landed.length);
      expect(paid(world)).toBe(BigInt(landed.length));
      // Numbers that never landed were older than the window on arrival.
      expect(landed.length).toBeGreaterThan(200);
      for (const spend_seq of inRandomOrder(`${seed} again`, numbers)) {
        expect(attempt(world, transferUsdc(world, { amount: 1n, spend_seq })).failed).toBe(
          landed.includes(spend_seq) || 300n - spend_seq >= WINDOW,
        );
      }
    },
  );

  it('is shared by all kinds of spends', () => {
    const kinds: readonly ((world: World, spend_seq: bigint) => Call)[] = [
      (w, spend_seq) => transferUsdc(w, { amount: 1n, spend_seq }),
      (w, spend_seq) => yieldDeposit(w, { amount: 5n, spend_seq }),
      (w, spend_seq) => yieldWithdraw(w, { amount: 1n, collateral_amount: 1n, spend_seq }),
    ];
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { amount: 100n, spend_seq: 1n }));
    kinds.forEach((first, place) => {
      const spend_seq = BigInt(place + 2);
      run(world, first(world, spend_seq));
      for (const second of kinds)
        expectError(attempt(world, second(world, spend_seq)), 'SpendAlreadyExecuted');
    });
  });

  it.each([1n, 2n, 63n, 64n, 65n, 255n, 256n, 257n, 1_000n, FAR])(
    'stays executed when the highest number advances by %i',
    (ahead) => {
      const world = worldWithSession({ daily_cap: 1_000n });
      for (const spend_seq of [1n, 64n, 128n, 255n, 256n, 256n + ahead]) {
        run(world, transferUsdc(world, { amount: 1n, spend_seq }));
      }
      for (const spend_seq of [1n, 64n, 128n, 255n, 256n, 256n + ahead]) {
        const isOld = 256n + ahead - spend_seq >= WINDOW;
        const outcome = attempt(world, transferUsdc(world, { amount: 1n, spend_seq }));
        expectError(outcome, isOld ? 'SpendSequenceTooOld' : 'SpendAlreadyExecuted');
      }
    },
  );

  it.each([
    ['zero', 0n, 0n, 'SpendSequenceTooOld'],
    ['zero later on', 400n, 0n, 'SpendSequenceTooOld'],
    ['the oldest that is not kept', 400n, 144n, 'SpendSequenceTooOld'],
    ['one too far ahead', 400n, 400n + FAR + 1n, 'SpendSequenceTooFar'],
    ['half of all', 400n, 2n ** 63n, 'SpendSequenceTooFar'],
    ['the last of all', 400n, U64_MAX, 'SpendSequenceTooFar'],
    ['the last of all again', U64_MAX, U64_MAX, 'SpendAlreadyExecuted'],
    ['the first after the last of all', U64_MAX, 0n, 'SpendSequenceTooOld'],
    ['the second after the last of all', U64_MAX, 1n, 'SpendSequenceTooOld'],
  ])('is refused when it is %s', (_name, highest, spend_seq, error) => {
    const world = worldWithSession();
    editData(world.svm, world.session, (data) => {
      data.writeBigUInt64LE(highest, HIGHEST_SEQ_AT);
      if (highest === U64_MAX) data.fill(0xff, HIGHEST_SEQ_AT + 8, HIGHEST_SEQ_AT + 40);
    });
    expectError(attempt(world, transferUsdc(world, { spend_seq })), error);
  });

  it.each([
    ['the oldest that is kept', 400n, 145n],
    ['as far ahead as may be', 400n, 400n + FAR],
    ['the last of all', U64_MAX - 1n, U64_MAX],
  ])('is executed once when it is %s', (_name, highest, spend_seq) => {
    const world = worldWithSession();
    editData(world.svm, world.session, (data) => data.writeBigUInt64LE(highest, HIGHEST_SEQ_AT));
    run(world, transferUsdc(world, { spend_seq }));
    expectError(attempt(world, transferUsdc(world, { spend_seq })), 'SpendAlreadyExecuted');
    expect(paid(world)).toBe(10n);
  });

  it.each([
    ['above the cap', { amount: 60n }, 'DailyCapExceeded'],
    ['above the most per transfer', { amount: 61n }, 'AmountExceedsMaxPerTx'],
  ])('is not consumed by a spend %s', (_name, args, error) => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 60n, spend_seq: 1n }));
    expectError(attempt(world, transferUsdc(world, { ...args, spend_seq: 2n })), error);
    expect(read(world, 'Session', world.session)).toMatchObject({ highest_seq: 1n });
    run(world, transferUsdc(world, { amount: 40n, spend_seq: 2n }));
  });

  it.each([0n, FIRST_INDEX - 1n, FIRST_INDEX + 1n, U64_MAX])(
    'is refused with another session index (%i)',
    (index) => {
      const world = worldWithSession();
      const call = transferUsdc(world, { session_index: index });
      expectError(attempt(world, call), 'SessionMismatch');
    },
  );

  it('of the previous session is refused by the re-created session of the same key', () => {
    const world = worldWithSession({ daily_cap: 1_000n });
    for (const spend_seq of [1n, 2n, 5n]) run(world, transferUsdc(world, { spend_seq }));
    run(world, revokeSession(world), addSession(world));
    for (const spend_seq of [1n, 2n, 3n, 5n, 6n, 300n]) {
      expectError(attempt(world, transferUsdc(world, { spend_seq })), 'SessionMismatch');
    }
    expect(paid(world)).toBe(30n);
  });
});

function inRandomOrder(seed: string, numbers: readonly bigint[]): bigint[] {
  const rank = (number: bigint, place: number): string =>
    createHash('sha256').update(`${seed} ${number} ${place}`).digest('hex');
  return numbers
    .map((number, place) => [rank(number, place), number] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, number]) => number);
}
