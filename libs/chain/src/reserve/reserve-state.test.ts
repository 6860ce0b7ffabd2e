import { readFileSync } from 'node:fs';

import { Keypair, PublicKey } from '@solana/web3.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { reserveOnChain, SANDBOX_RESERVE } from './known-reserves.ts';
import {
  accruedOf,
  collateralAmountFor,
  collateralToRedeem,
  payableCollateral,
  decodeReserve,
  type ReserveState,
  valueOfCollateral,
  withdrawableOf,
} from './reserve-state.ts';

const ONE = 1n << 60n;

const NO_INTEREST = { updatedSlot: 0n, borrowedScaled: 0n, curve: [], fixedRateBp: 0n };

function stateOf(
  available: bigint,
  totalScaled: bigint,
  collateralSupply: bigint,
  interest: ReserveState['interest'] = NO_INTEREST,
): ReserveState {
  return { available, totalScaled, collateralSupply, interest };
}

/** An account of the sandbox reserve: 500 available, 1 050 and a half lent out, 1.25 of fees. */
function account(edit: (data: Buffer) => void = () => undefined): {
  owner: string;
  data: Uint8Array;
} {
  const data = Buffer.alloc(8_624);
  data.write('2bf2ccca1af73b7f', 0, 'hex');
  data.writeBigUInt64LE(1n, 8);
  const addresses = [
    [32, SANDBOX_RESERVE.lendingMarket],
    [160, SANDBOX_RESERVE.liquiditySupply],
    [2_560, SANDBOX_RESERVE.collateralMint],
  ] as const;
  for (const [at, address] of addresses) data.set(new PublicKey(address).toBytes(), at);
  const setScaled = (at: number, value: bigint): void => {
    data.writeBigUInt64LE(value & ((1n << 64n) - 1n), at);
    data.writeBigUInt64LE(value >> 64n, at + 8);
  };
  data.writeBigUInt64LE(500n, 224);
  setScaled(232, 1_050n * ONE + ONE / 2n);
  setScaled(344, ONE);
  setScaled(360, ONE / 8n);
  setScaled(376, ONE / 8n);
  data.writeBigUInt64LE(1_000n, 2_592);
  data.writeBigUInt64LE(77n, 16);
  data.writeUInt16LE(65_535, 4_858);
  for (let point = 0; point < 11; point += 1) {
    data.writeUInt32LE(point === 0 ? 0 : 10_000, 4_920 + 8 * point);
    data.writeUInt32LE(point === 0 ? 100 : 4_000_000_000, 4_924 + 8 * point);
  }
  edit(data);
  return { owner: SANDBOX_RESERVE.programId, data };
}

describe('the account of a reserve', () => {
  test('is decoded as the share of the holders of collateral', () => {
    expect(decodeReserve(SANDBOX_RESERVE, account())).toEqual({
      available: 500n,
      totalScaled: 1_549n * ONE + ONE / 4n,
      collateralSupply: 1_000n,
      interest: {
        updatedSlot: 77n,
        borrowedScaled: 1_050n * ONE + ONE / 2n,
        curve: [
          { utilizationBp: 0n, rateBp: 100n },
          ...Array.from({ length: 10 }, () => ({ utilizationBp: 10_000n, rateBp: 4_000_000_000n })),
        ],
        fixedRateBp: 65_535n,
      },
    });
  });

  test('with fees above all other funds is worth nothing', () => {
    const read = decodeReserve(
      SANDBOX_RESERVE,
      account((data) => data.writeUInt8(0xff, 359)),
    );
    expect(read).toMatchObject({ available: 500n, totalScaled: 0n });
  });

  test.each<[string, Parameters<typeof decodeReserve>[1]]>([
    ['of another program', { ...account(), owner: PublicKey.default.toBase58() }],
    ['of another length', { ...account(), data: new Uint8Array(8_623) }],
    ['with another discriminator', account((data) => data.writeUInt8(0, 0))],
    ['of another version', account((data) => data.writeUInt8(2, 8))],
    ['of another market', account((data) => data.fill(7, 32, 64))],
    ['with another supply', account((data) => data.fill(7, 160, 192))],
    ['with another collateral mint', account((data) => data.fill(7, 2_560, 2_592))],
  ])('%s is not accepted as one', (_name, changed) => {
    expect(decodeReserve(SANDBOX_RESERVE, changed)).toBeNull();
  });
});

describe('collateral', () => {
  test.each<[string, ReserveState, bigint, bigint]>([
    ['at the start', stateOf(0n, 0n, 0n), 7n, 7n],
    ['one to one', stateOf(10n, 10n * ONE, 10n), 7n, 7n],
    ['after interest, rounded down', stateOf(500n, 1_550n * ONE, 1_000n), 3n, 4n],
    ['a unit that is worth a fraction', stateOf(1n, ONE, 2n), 1n, 0n],
    ['with a fraction in the total', stateOf(1n, ONE + ONE / 2n, 1n), 1n, 1n],
    ['as much as there can be', stateOf(0n, (1n << 64n) * ONE, 1n << 64n), 1n << 63n, 1n << 63n],
  ])('is worth what it redeems for: %s', (_name, state, collateral, value) => {
    expect(valueOfCollateral(state, collateral)).toBe(value);
  });

  test.each<[string, ReserveState, bigint, bigint]>([
    ['at the start', stateOf(0n, 0n, 0n), 7n, 7n],
    ['one to one', stateOf(10n, 10n * ONE, 10n), 7n, 7n],
    ['after interest, rounded up', stateOf(500n, 1_550n * ONE, 1_000n), 3n, 2n],
    ['a single base unit', stateOf(500n, 1_550n * ONE, 1_000n), 1n, 1n],
    ['the whole', stateOf(500n, 1_550n * ONE, 1_000n), 1_550n, 1_000n],
    ['nothing', stateOf(500n, 1_550n * ONE, 1_000n), 0n, 0n],
  ])('for an amount is the least that redeems for it: %s', (_name, state, amount, collateral) => {
    expect(collateralAmountFor(state, amount)).toBe(collateral);
  });

  test('for any amount redeems for it, and one unit less does not', () => {
    const u64 = fc.bigInt({ min: 1n, max: (1n << 64n) - 1n });
    const scaled = fc.bigInt({ min: 1n, max: (1n << 124n) - 1n });
    fc.assert(
      fc.property(u64, scaled, u64, (supply, total, amount) => {
        const state = stateOf(0n, total, supply);
        const collateral = collateralAmountFor(state, amount);
        const brought = valueOfCollateral(state, collateral);
        expect(brought).toBeGreaterThanOrEqual(amount);
        expect(valueOfCollateral(state, collateral - 1n)).toBeLessThan(amount);
        expect(brought).toBeLessThanOrEqual(amount + valueOfCollateral(state, 1n) + 1n);
      }),
    );
  });

  test.each<[string, bigint, bigint, bigint]>([
    ['the requested amount', 999n, 2n, 1n],
    ['all there is when that is less', 1n, 3n, 1n],
    ['one unit when nothing is held', 0n, 3n, 1n],
    ['a unit less when the reserve cannot pay the last one', 999n, 4n, 1n],
    ['the requested amount when the reserve cannot pay it', 999n, 5n, 2n],
  ])('to redeem is %s', (_name, held, amount, redeemed) => {
    // One unit brings 2.5; two bring 5, and the reserve has 4.
    const state = stateOf(4n, 2_500n * ONE, 1_000n);
    expect(collateralToRedeem(state, { held, amount, slot: 5n })).toBe(redeemed);
  });

  test('to redeem passes the program at any rate until the transaction expires', () => {
    const rates = fc.integer({ min: 0, max: 1_000_000 });
    const scene = fc.record({
      supply: fc.bigInt({ min: 1n, max: 1n << 50n }),
      available: fc.bigInt({ min: 0n, max: 1n << 50n }),
      borrowed: fc.bigInt({ min: 0n, max: 1n << 50n }),
      rates: fc.tuple(rates, rates, rates),
      fixed: fc.integer({ min: 0, max: 500 }),
      age: fc.integer({ min: 0, max: 20_000_000 }),
      ahead: fc.integer({ min: 0, max: 300 }),
      amount: fc.bigInt({ min: 1n, max: 1n << 50n }),
    });
    fc.assert(
      fc.property(scene, ({ supply, available, borrowed, rates: [low, kink, high], ...s }) => {
        fc.pre(available + borrowed > 0n);
        const total = available + borrowed;
        const curve = [
          { utilizationBp: 0n, rateBp: BigInt(low) },
          { utilizationBp: 8_000n, rateBp: BigInt(kink) },
          { utilizationBp: 10_000n, rateBp: BigInt(high) },
        ];
        const interest = {
          updatedSlot: 7n,
          borrowedScaled: borrowed * ONE,
          curve,
          fixedRateBp: BigInt(s.fixed),
        };
        const state = stateOf(available, total * ONE, supply, interest);
        const slot = 7n + BigInt(s.age);
        const units = collateralToRedeem(state, { held: 1n << 120n, amount: s.amount, slot });
        // What compounding brings until the account is read, and what it could bring afterwards.
        const used = Number(borrowed) / Number(total);
        const rate =
          used <= 0.8
            ? low + ((kink - low) * used) / 0.8
            : kink + ((high - kink) * (used - 0.8)) / 0.2;
        const perYear = 10_000 * 63_072_000;
        const before = Math.expm1(((rate + s.fixed) * s.age) / perYear);
        const after = ((Math.max(low, kink, high) + s.fixed) * s.ahead) / perYear;
        fc.pre(before < 1e6);
        const grown = (Number(total) + Number(borrowed) * before) * Math.exp(after);
        const worthOfAllButOne = (Number(units - 1n) * grown) / Number(supply);
        expect(worthOfAllButOne).toBeLessThanOrEqual(Number(s.amount) * (1 + 1e-9));
      }),
    );
  });

  test('to redeem falls short of the amount by no more than the interest of those minutes', () => {
    // A hundred million at 5 % a year, of which four fifths are lent out, used an hour ago.
    const [total, amount] = [100_000_000_000_000n, 1_000_000_000n];
    const interest = {
      updatedSlot: 1_000n,
      borrowedScaled: ((total * 4n) / 5n) * ONE,
      curve: [
        { utilizationBp: 0n, rateBp: 0n },
        { utilizationBp: 8_000n, rateBp: 500n },
        { utilizationBp: 10_000n, rateBp: 10_000n },
      ],
      fixedRateBp: 0n,
    };
    const state = stateOf(total / 5n, total * ONE, total, interest);
    const redeemed = collateralToRedeem(state, { held: total, amount, slot: 10_000n });
    const hour = (amount * 4n * 9_000n) / (5n * 20n * 63_072_000n);
    const minutes = (amount * 300n) / 63_072_000n;
    const exact = amount - hour;
    expect(redeemed).toBeLessThan(exact);
    expect(redeemed).toBeGreaterThanOrEqual(exact - minutes - 2n);
  });

  test.each<[string, bigint, bigint]>([
    ['all when the reserve has principal and interest', 1_549n, 999n],
    ['all but one when it has only the principal', 1_000n, 998n],
    ['what is available when that is less', 500n, 500n],
    ['nothing when it has nothing', 0n, 0n],
  ])('allows a withdrawal of %s', (_name, available, most) => {
    expect(withdrawableOf(stateOf(available, 1_550n * ONE, 1_000n), 999n, 999n)).toBe(most);
  });

  test.each<[string, bigint, bigint]>([
    ['all that is held when the reserve can pay for it', 645n, 1_000n],
    ['as much as the reserve can pay for', 500n, 775n],
    ['what one base unit is worth', 1n, 3n],
    ['the unit that is worth less than one base unit', 0n, 1n],
  ])('to redeem for everything is %s', (_name, available, payable) => {
    const state = stateOf(available, 1_550n * ONE, 2_400n);
    expect(payableCollateral(state, { held: 1_000n, slot: 5n })).toBe(payable);
  });

  test('to redeem for everything is nothing where the reserve has nothing', () => {
    expect(payableCollateral(stateOf(0n, 10n * ONE, 10n), { held: 7n, slot: 5n })).toBe(0n);
    expect(payableCollateral(stateOf(0n, 0n, 0n), { held: 7n, slot: 5n })).toBe(0n);
  });

  test('to redeem for everything is the most that is worth no more than the reserve has', () => {
    const u64 = fc.bigInt({ min: 1n, max: (1n << 64n) - 1n });
    const scaled = fc.bigInt({ min: 1n, max: (1n << 124n) - 1n });
    fc.assert(
      fc.property(u64, scaled, u64, u64, (supply, total, held, available) => {
        const state = stateOf(available, total, supply);
        const payable = payableCollateral(state, { held, slot: 5n });
        expect(payable).toBeLessThanOrEqual(held);
        expect(valueOfCollateral(state, payable)).toBeLessThanOrEqual(available);
        if (payable === held) return;
        expect(valueOfCollateral(state, payable + 1n)).toBeGreaterThan(available);
      }),
    );
  });

  test('to redeem for everything can still be paid for when the debts have grown', () => {
    const interest = {
      updatedSlot: 1_000n,
      borrowedScaled: 800n * ONE * 1_000_000n,
      curve: [{ utilizationBp: 0n, rateBp: 5_000n }],
      fixedRateBp: 0n,
    };
    const [total, supply, available] = [1_000_000_000n, 1_000_000_000n, 200_000_000n];
    const state = stateOf(available, total * ONE, supply, interest);
    const payable = payableCollateral(state, { held: supply, slot: 10_000n });
    expect(payable).toBeLessThan(available);
    expect(payable).toBeGreaterThan((available * 99n) / 100n);
  });

  test('of a deposit is never worth more than the deposit, and interest only adds value', () => {
    const amounts = fc.bigInt({ min: 1n, max: 1n << 50n });
    fc.assert(
      fc.property(amounts, amounts, amounts, (supply, earned, deposit) => {
        const total = (supply + earned) * ONE;
        const minted = (deposit * supply) / (supply + earned);
        const paid = (minted * (supply + earned) + supply - 1n) / supply;
        const after = stateOf(0n, total + paid * ONE, supply + minted);
        expect(accruedOf(after, minted, paid)).toBe(0n);
        const later = stateOf(0n, after.totalScaled + earned * ONE, supply + minted);
        expect(accruedOf(later, minted, paid)).toBeGreaterThanOrEqual(0n);
      }),
    );
  });

  test('that has lost value has earned nothing', () => {
    expect(accruedOf(stateOf(5n, 5n * ONE, 10n), 10n, 10n)).toBe(0n);
    expect(accruedOf(stateOf(5n, 15n * ONE, 10n), 10n, 10n)).toBe(5n);
  });
});

describe('the reserve of a chain', () => {
  test('is Kamino Lend on devnet, none on the main network, else the sandbox reserve', () => {
    const devnet = reserveOnChain('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkrZBG');
    expect(devnet?.programId).toBe('KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD');
    expect(reserveOnChain('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d')).toBeNull();
    expect(reserveOnChain('a chain of our own')).toEqual(SANDBOX_RESERVE);
  });

  test("of devnet has Kamino Lend's market authority", () => {
    const devnet = reserveOnChain('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkrZBG');
    const market = new PublicKey(devnet?.lendingMarket ?? '').toBytes();
    const program = new PublicKey(devnet?.programId ?? '');
    const [authority] = PublicKey.findProgramAddressSync([Buffer.from('lma'), market], program);
    expect(authority.toBase58()).toBe(devnet?.lendingMarketAuthority);
  });

  test('is the sandbox reserve at the addresses that its program derives', () => {
    const file = new URL('../../../../program/keys/reserve_sandbox-keypair.json', import.meta.url);
    const secret: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { publicKey } = Keypair.fromSecretKey(
      Uint8Array.from(Array.isArray(secret) ? secret : []),
    );
    const derived = (seed: string, ...of: PublicKey[]): PublicKey =>
      PublicKey.findProgramAddressSync(
        [Buffer.from(seed), ...of.map((one) => one.toBytes())],
        publicKey,
      )[0];
    const [market, reserve] = [derived('market'), derived('reserve')];
    expect(SANDBOX_RESERVE).toEqual({
      programId: publicKey.toBase58(),
      reserve: reserve.toBase58(),
      lendingMarket: market.toBase58(),
      lendingMarketAuthority: derived('lma', market).toBase58(),
      liquiditySupply: derived('reserve_liq_supply', reserve).toBase58(),
      collateralMint: derived('reserve_coll_mint', reserve).toBase58(),
    });
  });
});
