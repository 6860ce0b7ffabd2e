import {
  collateralAmountFor,
  collateralToRedeem,
  decodeReserve,
  SANDBOX_RESERVE,
} from '@agent-wallet/chain';
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { describe, expect, it } from 'vitest';
import { attempt, run } from '../support/call.ts';
import { both, edited, withArgs } from '../support/mutators.ts';
import {
  byOwner,
  redeemByOwner,
  revokeSession,
  setMaxDeployedFraction,
  setPaused,
  transferUsdc,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import {
  editData,
  getAccount,
  passSlots,
  setClock,
  setTokenAccount,
  U64_MAX,
} from '../support/chain.ts';
import { withdraw } from '../support/every-instruction.ts';
import {
  expectError,
  expectEvent,
  expectForeignError,
  itChecksInOrder,
  itRefuses,
} from '../support/expect.ts';
import { allowing } from '../support/refusals.ts';
import { failing } from '../support/faults.ts';
import {
  accrue,
  borrowOut,
  RESERVE_PROGRAM_ID,
  reserveAccounts,
  setRate,
} from '../support/reserve.ts';
import {
  read,
  RESERVE_ADMIN,
  spendFields,
  VAULT_BALANCE,
  worldWithReserve,
} from '../support/world.ts';
import { checksOfYield, refusalsOfYield } from '../support/yield-refusals.ts';
import { balances, worldWithInterest } from '../support/yield-world.ts';

const RESERVE_PROGRAM = RESERVE_PROGRAM_ID.toBase58();
const INSUFFICIENT_LIQUIDITY = 6008;
const COLLATERAL_MINT = reserveAccounts.reserve_collateral_mint;

const tooMuch = withArgs({ amount: 100n, collateral_amount: 66n });

describe('yield_withdraw', () => {
  it('of a session returns a part, records the spend emits the event in the log and as a self-call', () => {
    const world = worldWithInterest();
    const [before, session] = [balances(world), read(world, 'Session', world.session)];
    // 150 base units for 100 of collateral: 20 units bring 30.
    const part = { amount: 30n, collateral_amount: 20n, spend_seq: 2n };
    const outcome = run(world, yieldWithdraw(world, part));
    expect(outcome.logs[1]).toBe('Program log: Instruction: YieldWithdraw');
    const moved = {
      vault: before.vault + 30n,
      transit: 0n,
      collateral: 79n,
      reserve: before.reserve - 30n,
      deployed: 69n,
    };
    expect(balances(world)).toEqual(moved);
    expect(read(world, 'Session', world.session)).toEqual({
      ...session,
      highest_seq: 2n,
      bitmap: [0b110n, 0n, 0n, 0n],
    });
    expectEvent(outcome, 'YieldWithdrawn', {
      ...spendFields(world, 2n),
      amount: 30n,
      liquidity_delta: 30n,
      collateral_delta: 20n,
      deployed_amount: 69n,
      vault_balance_after: moved.vault,
    });
  });

  it.each([0n, 1n, 50n, 10_000n, U64_MAX])(
    'of the whole deployed amount returns the interest at any collateral amount (%i)',
    (collateral_amount) => {
      const world = worldWithInterest();
      const before = balances(world);
      const all = { amount: 99n, collateral_amount, spend_seq: 2n };
      const outcome = run(world, yieldWithdraw(world, all));
      // 99 units are worth 148.5.
      expect(balances(world)).toEqual({
        vault: before.vault + 148n,
        transit: 0n,
        collateral: 0n,
        reserve: before.reserve - 148n,
        deployed: 0n,
      });
      expectEvent(outcome, 'YieldWithdrawn', {
        ...spendFields(world, 2n),
        amount: 99n,
        liquidity_delta: 148n,
        collateral_delta: 99n,
        deployed_amount: 0n,
        vault_balance_after: before.vault + 148n,
      });
    },
  );

  it('of the owner needs no session, and its event names no spend', () => {
    const world = worldWithInterest();
    const [before, session] = [balances(world), read(world, 'Session', world.session)];
    const named = { amount: 30n, collateral_amount: 20n, spend_seq: 9n, session_index: 5n };
    const outcome = run(world, byOwner(yieldWithdraw(world, named), world));
    expect(balances(world)).toMatchObject({ vault: before.vault + 30n, deployed: 69n });
    expect(read(world, 'Session', world.session)).toEqual(session);
    expectEvent(outcome, 'YieldWithdrawn', {
      ...spendFields(world, 0n),
      session: null,
      session_index: 0n,
      spend_id: Array.from({ length: 16 }, () => 0),
      amount: 30n,
      liquidity_delta: 30n,
      collateral_delta: 20n,
      deployed_amount: 69n,
      vault_balance_after: before.vault + 30n,
    });
  });

  it('of the owner works while the vault is paused, without a session, at any clock', () => {
    const world = worldWithInterest();
    run(world, setPaused(world, true), revokeSession(world), setMaxDeployedFraction(world, 0));
    setClock(world.svm, -1n);
    run(world, redeemByOwner(world, 99n));
    expect(balances(world)).toMatchObject({ collateral: 0n, deployed: 0n });
  });

  it('passes the reserve the yield authority and its accounts and no other account of the wallet', () => {
    const world = worldWithInterest();
    const { innerCalls } = run(world, withdraw(world));
    const calls = innerCalls.filter(({ program }) => program === RESERVE_PROGRAM);
    const token = TOKEN_PROGRAM_ID.toBase58();
    expect(calls).toHaveLength(1);
    expect(calls[0]?.accounts).toEqual([
      world.yieldAuthority.toBase58(),
      reserveAccounts.lending_market.toBase58(),
      reserveAccounts.reserve.toBase58(),
      reserveAccounts.lending_market_authority.toBase58(),
      reserveAccounts.reserve_liquidity_mint.toBase58(),
      COLLATERAL_MINT.toBase58(),
      reserveAccounts.reserve_liquidity_supply.toBase58(),
      world.collateral.toBase58(),
      world.transit.toBase58(),
      token,
      token,
      'Sysvar1nstructions1111111111111111111111111',
    ]);
  });

  it('is not governed by the limits of transfers and shares their sequence numbers', () => {
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { amount: 1_000n }));
    const part = { amount: 500n, collateral_amount: 500n, spend_seq: 2n };
    run(world, yieldWithdraw(world, part));
    expect(read(world, 'Session', world.session)['daily_spent']).toBe(0n);
    for (const again of [yieldWithdraw(world, part), transferUsdc(world, { spend_seq: 2n })]) {
      expectError(attempt(world, again), 'SpendAlreadyExecuted');
    }
    expect(balances(world)).toMatchObject({ deployed: 500n });
  });

  it('counts the amount returned, which may be below the amount requested', () => {
    const world = worldWithInterest();
    // 19 units are worth 28.5.
    const part = { amount: 30n, collateral_amount: 19n, spend_seq: 2n };
    run(world, yieldWithdraw(world, part));
    expect(balances(world)).toMatchObject({ collateral: 80n, deployed: 99n - 28n });
  });

  // At least 14 units, worth 21, are needed for 20; a 15th exceeds the tolerance of one unit.
  it('of 20 base units redeems the fewest units that cover them', () => {
    const world = worldWithInterest();
    const part = { amount: 20n, collateral_amount: 14n, spend_seq: 2n };
    run(world, yieldWithdraw(world, part), byOwner(yieldWithdraw(world, part), world));
    expect(balances(world)).toMatchObject({ collateral: 71n, deployed: 57n });
  });

  it.each([15n, 16n, 99n])('of 20 base units does not redeem %i units', (collateral_amount) => {
    const world = worldWithInterest();
    const part = yieldWithdraw(world, { amount: 20n, collateral_amount, spend_seq: 2n });
    expectError(attempt(world, part), 'ReserveDeltaMismatch');
    expectError(attempt(world, byOwner(part, world)), 'ReserveDeltaMismatch');
    expect(balances(world)).toMatchObject({ collateral: 99n, deployed: 99n });
  });

  it('never makes the deployed amount negative', () => {
    const world = worldWithInterest();
    editData(world.svm, world.vault, (data) => data.writeBigUInt64LE(3n, 16));
    // A single unit is worth 1.5; two of them are one unit of collateral above the amount.
    const part = { amount: 2n, collateral_amount: 2n, spend_seq: 2n };
    run(world, yieldWithdraw(world, part));
    expect(balances(world)).toMatchObject({ deployed: 0n, collateral: 97n });
  });

  it('sweeps a gift from the transit account to the vault and does not count it', () => {
    const world = worldWithInterest();
    const before = balances(world);
    setTokenAccount(world.svm, world.yieldAuthority, 77n);
    run(world, withdraw(world));
    expect(balances(world)).toMatchObject({
      vault: before.vault + 30n + 77n,
      transit: 0n,
      deployed: 69n,
    });
  });

  it('redeems donated collateral together with the rest', () => {
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { amount: 100n }));
    const { collateral: address, yieldAuthority } = world;
    setTokenAccount(world.svm, yieldAuthority, 101n, { address, mint: COLLATERAL_MINT });
    run(world, yieldWithdraw(world, { amount: 100n, spend_seq: 2n }));
    expect(balances(world)).toMatchObject({
      vault: VAULT_BALANCE + 1n,
      collateral: 0n,
      deployed: 0n,
    });
  });

  it('fails when the reserve lacks liquidity and pays in full when it has enough', () => {
    const world = worldWithInterest(false);
    const before = [balances(world), read(world, 'Session', world.session)];
    const all = yieldWithdraw(world, { amount: 99n, spend_seq: 2n });
    expectForeignError(attempt(world, all), RESERVE_PROGRAM, INSUFFICIENT_LIQUIDITY);
    expect([balances(world), read(world, 'Session', world.session)]).toEqual(before);
    const part = { amount: 48n, collateral_amount: 32n, spend_seq: 2n };
    run(world, yieldWithdraw(world, part));
    expect(balances(world)).toMatchObject({ deployed: 51n });
  });

  it('refuses a payment above the rate for which the collateral was computed', () => {
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { amount: 1_000n }));
    // Interest accrues between building the call and landing it.
    borrowOut(world.svm, RESERVE_ADMIN, 500n);
    accrue(world.svm, RESERVE_ADMIN, 1_000n);
    const part = { amount: 200n, collateral_amount: 200n, spend_seq: 2n };
    expectError(attempt(world, yieldWithdraw(world, part)), 'ReserveDeltaMismatch');
    expect(balances(world)).toMatchObject({ deployed: 1_000n, collateral: 1_000n });
  });

  // 145 for 97 of collateral at first: a unit costs 1.49, and three of them 5.
  it('of everything sets the deployed amount to 0 when rounding took one base unit', () => {
    const world = worldWithInterest();
    editData(world.svm, world.vault, (data) => data.writeBigUInt64LE(0n, 16));
    setTokenAccount(world.svm, world.yieldAuthority, 0n, {
      address: world.collateral,
      mint: COLLATERAL_MINT,
    });
    run(world, yieldDeposit(world, { amount: 5n, spend_seq: 3n }));
    const before = balances(world);
    expect(before).toMatchObject({ deployed: 5n, collateral: 3n });
    const outcome = run(world, yieldWithdraw(world, { amount: 5n, spend_seq: 4n }));
    expect(balances(world)).toMatchObject({
      vault: before.vault + 4n,
      collateral: 0n,
      deployed: 0n,
    });
    expectEvent(outcome, 'YieldWithdrawn', {
      ...spendFields(world, 4n),
      amount: 5n,
      liquidity_delta: 4n,
      collateral_delta: 3n,
      deployed_amount: 0n,
      vault_balance_after: before.vault + 4n,
    });
  });

  it.each(['session', 'owner'])(
    'of everything by the %s keeps a loss in the deployed amount',
    (signer) => {
      const world = worldWithInterest();
      editData(world.svm, world.vault, (data) => data.writeBigUInt64LE(200n, 16));
      const all = yieldWithdraw(world, { amount: 200n, spend_seq: 2n });
      run(world, signer === 'owner' ? byOwner(all, world) : all);
      expect(balances(world)).toMatchObject({ collateral: 0n, deployed: 52n });
      // The loss counts against the fraction: of 100 000 at one basis point, 52 are used.
      expect(balances(world).vault / 10_000n).toBe(100_000n);
      run(world, setMaxDeployedFraction(world, 1));
      const again = yieldDeposit(world, { amount: 100_000n, spend_seq: 3n });
      expectError(attempt(world, again), 'DeployedFractionExceeded');
      run(world, yieldDeposit(world, { amount: 100_000n - 52n, spend_seq: 3n }));
    },
  );

  it('of a part tolerates the interest that accrues per slot until it lands', () => {
    // 40 million are lent out at 300 % a year; the reserve account is an hour old when read.
    const amount = 5_000_000n;
    const drift = [0n, 1n, 20n, 150n, 300n].map((slots) => {
      const world = worldWithReserve();
      run(world, yieldDeposit(world, { amount: 50_000_000n }));
      setRate(world.svm, RESERVE_ADMIN, 30_000n);
      borrowOut(world.svm, RESERVE_ADMIN, 40_000_000n);
      passSlots(world.svm, 9_000n);
      const data = getAccount(world.svm, reserveAccounts.reserve)?.data ?? Buffer.alloc(0);
      const owner = RESERVE_PROGRAM;
      const state = decodeReserve(SANDBOX_RESERVE, { owner, data });
      if (state === null) throw new Error('the reserve cannot be read');
      const held = balances(world).collateral;
      const slot = world.svm.getClock().slot;
      const collateral_amount = collateralToRedeem(state, { held, amount, slot });
      passSlots(world.svm, slots);

      // The stored rate, without the interest since, redeems too much from the start.
      const stale = collateralAmountFor(state, amount);
      const staleCall = yieldWithdraw(world, { amount, collateral_amount: stale, spend_seq: 2n });
      expectError(attempt(world, staleCall), 'ReserveDeltaMismatch');
      const before = balances(world).vault;
      run(world, yieldWithdraw(world, { amount, collateral_amount, spend_seq: 2n }));
      return amount - (balances(world).vault - before);
    });
    // Short by at most the interest of the whole amount in 300 slots, and by less the later.
    expect(drift.every((short) => short >= -1n && short <= 73n)).toBe(true);
    expect(drift.toSorted((a, b) => Number(b - a))).toEqual(drift);
  });

  itRefuses(worldWithInterest, withdraw, [
    ...refusalsOfYield,
    ...failing('InstructionNotAllowed', { 'its instruction bit is not set': allowing(3) }),
    ...failing('WithdrawExceedsDeployed', {
      'the amount is above what is deployed': tooMuch,
      'the owner withdraws more than is deployed': both(byOwner, tooMuch),
      'a session withdraws everything': withArgs({ amount: U64_MAX }),
      'nothing is deployed': edited('vault', (data) => data.writeBigUInt64LE(0n, 16)),
    }),
    ...failing('ReserveDeltaMismatch', {
      'no collateral is to be redeemed': withArgs({ collateral_amount: 0n }),
      'more collateral is to be redeemed than there is': withArgs({ collateral_amount: 100n }),
      'all bits of the collateral amount are set': withArgs({ collateral_amount: U64_MAX }),
    }),
  ]);
});

describe('the order of checks of yield_withdraw', () => {
  itChecksInOrder(worldWithInterest, withdraw, [
    ['collateral amount', withArgs({ collateral_amount: 0n }), 'ReserveDeltaMismatch'],
    ...checksOfYield(4, ['deployed amount', withArgs({ amount: 100n }), 'WithdrawExceedsDeployed']),
  ]);
});
