import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { describe, expect, it } from 'vitest';
import { after, both, edited, withArgs } from '../support/mutators.ts';
import { attempt, type Call, run } from '../support/call.ts';
import {
  byOwner,
  setMaxDeployedFraction,
  setPaused,
  SPEND_ID,
  transferUsdc,
  yieldDeposit,
} from '../support/calls.ts';
import { editData, setClock, setTokenAccount, U64_MAX } from '../support/chain.ts';
import { deposit } from '../support/every-instruction.ts';
import {
  expectError,
  expectEvent,
  expectForeignError,
  itChecksInOrder,
  itRefuses,
  TOKEN_ACCOUNT_FROZEN,
} from '../support/expect.ts';
import { allowing } from '../support/refusals.ts';
import { failing } from '../support/faults.ts';
import { RESERVE_PROGRAM_ID, reserveAccounts } from '../support/reserve.ts';
import {
  read,
  spendFields,
  VAULT_BALANCE,
  type World,
  worldWithReserve,
} from '../support/world.ts';
import { checksOfYield, refusalsOfYield } from '../support/yield-refusals.ts';
import { balances, worldWithInterest } from '../support/yield-world.ts';

const SEED_OF_RESERVE = 1n;
const RESERVE_PROGRAM = RESERVE_PROGRAM_ID.toBase58();

describe('yield_deposit', () => {
  it('of a session deploys the amount, records the spend emits the event in the log and as a self-call', () => {
    const world = worldWithReserve();
    const before = read(world, 'Session', world.session);
    const outcome = run(world, yieldDeposit(world, { amount: 500n, spend_seq: 3n }));
    expect(outcome.logs[1]).toBe('Program log: Instruction: YieldDeposit');
    expect(balances(world)).toEqual({
      vault: VAULT_BALANCE - 500n,
      transit: 0n,
      collateral: 500n,
      reserve: 500n + SEED_OF_RESERVE,
      deployed: 500n,
    });
    expect(read(world, 'Session', world.session)).toEqual({
      ...before,
      highest_seq: 3n,
      bitmap: [1n << 3n, 0n, 0n, 0n],
    });
    expectEvent(outcome, 'YieldDeposited', {
      ...spendFields(world, 3n),
      amount: 500n,
      liquidity_delta: 500n,
      collateral_delta: 500n,
      deployed_amount: 500n,
      vault_balance_after: VAULT_BALANCE - 500n,
    });
  });

  it('of the owner needs no session, and its event names no spend', () => {
    const world = worldWithReserve();
    const before = read(world, 'Session', world.session);
    const named = { amount: 40n, spend_seq: 9n, session_index: 5n, spend_id: SPEND_ID };
    const outcome = run(world, byOwner(yieldDeposit(world, named), world));
    expect(balances(world)).toMatchObject({ collateral: 40n, deployed: 40n });
    expect(read(world, 'Session', world.session)).toEqual(before);
    expectEvent(outcome, 'YieldDeposited', {
      ...spendFields(world, 0n),
      session: null,
      session_index: 0n,
      spend_id: Array.from({ length: 16 }, () => 0),
      amount: 40n,
      liquidity_delta: 40n,
      collateral_delta: 40n,
      deployed_amount: 40n,
      vault_balance_after: VAULT_BALANCE - 40n,
    });
  });

  it('of the owner works while the vault is paused', () => {
    const world = worldWithReserve();
    run(world, setPaused(world, true), byOwner(yieldDeposit(world), world));
    expect(balances(world)).toMatchObject({ deployed: 10n });
  });

  it('passes the reserve the yield authority and its accounts and no other account of the wallet', () => {
    const world = worldWithReserve();
    const { innerCalls } = run(world, yieldDeposit(world));
    const calls = innerCalls.filter(({ program }) => program === RESERVE_PROGRAM);
    const token = TOKEN_PROGRAM_ID.toBase58();
    expect(calls).toHaveLength(1);
    expect(calls[0]?.accounts).toEqual([
      world.yieldAuthority.toBase58(),
      reserveAccounts.reserve.toBase58(),
      reserveAccounts.lending_market.toBase58(),
      reserveAccounts.lending_market_authority.toBase58(),
      reserveAccounts.reserve_liquidity_mint.toBase58(),
      reserveAccounts.reserve_liquidity_supply.toBase58(),
      reserveAccounts.reserve_collateral_mint.toBase58(),
      world.transit.toBase58(),
      world.collateral.toBase58(),
      token,
      token,
      'Sysvar1nstructions1111111111111111111111111',
    ]);
  });

  it('is not governed by the limits of transfers', () => {
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { amount: 61n, spend_seq: 1n }));
    run(world, yieldDeposit(world, { amount: 101n, spend_seq: 2n }));
    expect(read(world, 'Session', world.session)['daily_spent']).toBe(0n);
    run(world, transferUsdc(world, { amount: 60n, spend_seq: 3n }));
  });

  it('shares its sequence numbers with transfers', () => {
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { spend_seq: 5n }));
    expectError(attempt(world, transferUsdc(world, { spend_seq: 5n })), 'SpendAlreadyExecuted');
    expectError(attempt(world, yieldDeposit(world, { spend_seq: 5n })), 'SpendAlreadyExecuted');
    expect(balances(world)).toMatchObject({ deployed: 10n });
  });

  it('counts the amount that the reserve took and returns the rest', () => {
    const world = worldWithInterest();
    // 150 base units for 100 of collateral: 10 pay for 6 units, which cost 9.
    const before = balances(world);
    const outcome = run(world, yieldDeposit(world, { amount: 10n, spend_seq: 2n }));
    const moved = {
      vault: before.vault - 9n,
      transit: 0n,
      collateral: before.collateral + 6n,
      reserve: before.reserve + 9n,
      deployed: before.deployed + 9n,
    };
    expect(balances(world)).toEqual(moved);
    expectEvent(outcome, 'YieldDeposited', {
      ...spendFields(world, 2n),
      amount: 10n,
      liquidity_delta: 9n,
      collateral_delta: 6n,
      deployed_amount: moved.deployed,
      vault_balance_after: moved.vault,
    });
  });

  it('sweeps a gift from the transit account to the vault and does not count it', () => {
    const world = worldWithReserve();
    setTokenAccount(world.svm, world.yieldAuthority, 77n);
    run(world, yieldDeposit(world, { amount: 100n }));
    expect(balances(world)).toMatchObject({
      vault: VAULT_BALANCE - 100n + 77n,
      transit: 0n,
      collateral: 100n,
      deployed: 100n,
    });
  });

  it('reports the collateral received, not the collateral held', () => {
    const world = worldWithReserve();
    const { collateral: address } = world;
    const mint = reserveAccounts.reserve_collateral_mint;
    setTokenAccount(world.svm, world.yieldAuthority, 1_000n, { address, mint });
    const outcome = run(world, yieldDeposit(world, { amount: 100n }));
    expectEvent(outcome, 'YieldDeposited', {
      ...spendFields(world, 1n),
      amount: 100n,
      liquidity_delta: 100n,
      collateral_delta: 100n,
      deployed_amount: 100n,
      vault_balance_after: VAULT_BALANCE - 100n,
    });
  });

  it.each([
    // Basis points, deployed before, maximum that may be deployed now, of 1 000 000 000 in all.
    [10_000, 0n, VAULT_BALANCE],
    [5_000, 0n, VAULT_BALANCE / 2n],
    [5_000, VAULT_BALANCE / 4n, VAULT_BALANCE / 4n],
    [1, 0n, 100_000n],
    [3_333, 0n, 333_300_000n],
  ])('at %i basis points with %i deployed is exact to the base unit', (bp, deployed, most) => {
    const world = worldWithReserve();
    if (deployed > 0n) run(world, byOwner(yieldDeposit(world, { amount: deployed }), world));
    run(world, setMaxDeployedFraction(world, bp));
    for (const call of [yieldDeposit, ownersDeposit]) {
      const tooMuch = call(world, { amount: most + 1n });
      expectError(attempt(world, tooMuch), 'DeployedFractionExceeded');
    }
    run(world, yieldDeposit(world, { amount: most }));
    expect(balances(world)).toMatchObject({ deployed: deployed + most });
    const another = yieldDeposit(world, { amount: 1n, spend_seq: 2n });
    expectError(attempt(world, another), 'DeployedFractionExceeded');
  });

  it('deploys nothing more once the fraction is below the deployed amount', () => {
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { amount: 1_000n }));
    run(world, setMaxDeployedFraction(world, 0));
    const another = yieldDeposit(world, { amount: 1n, spend_seq: 2n });
    expectError(attempt(world, another), 'DeployedFractionExceeded');
    expect(balances(world)).toMatchObject({ deployed: 1_000n });
  });

  it('changes nothing when the reserve refuses', () => {
    const world = worldWithInterest();
    const before = [balances(world), read(world, 'Session', world.session)];
    // One base unit pays for no collateral at this rate.
    const outcome = attempt(world, yieldDeposit(world, { amount: 1n, spend_seq: 2n }));
    expectForeignError(outcome, RESERVE_PROGRAM, 6003);
    expect([balances(world), read(world, 'Session', world.session)]).toEqual(before);
  });

  it("returns the reserve's error when its deposit limit is reached", () => {
    const world = worldWithReserve();
    editData(world.svm, reserveAccounts.reserve, (data) => data.writeBigUInt64LE(100n, 5_016));
    run(world, yieldDeposit(world, { amount: 99n }));
    const another = yieldDeposit(world, { amount: 1n, spend_seq: 2n });
    expectForeignError(attempt(world, another), RESERVE_PROGRAM, 6090);
  });

  it('leaves the refusal to the token program when the vault is frozen', () => {
    const world = worldWithReserve();
    editData(world.svm, world.vaultTokenAccount, (data) => data.writeUInt8(2, 108));
    const outcome = attempt(world, yieldDeposit(world));
    expectForeignError(outcome, TOKEN_PROGRAM_ID.toBase58(), TOKEN_ACCOUNT_FROZEN);
  });

  it('of the owner works at a negative clock', () => {
    const world = worldWithReserve();
    setClock(world.svm, -1n);
    run(world, byOwner(yieldDeposit(world), world));
    expect(balances(world)).toMatchObject({ deployed: 10n });
  });

  itRefuses(worldWithReserve, deposit, [
    ...refusalsOfYield,
    ...failing('InstructionNotAllowed', { 'its instruction bit is not set': allowing(5) }),
    ...failing('DeployedFractionExceeded', {
      'the vault holds less than the amount': withArgs({ amount: VAULT_BALANCE + 1n }),
      'the amount has all bits set': withArgs({ amount: U64_MAX }),
      'the vault is empty': after((w) => setTokenAccount(w.svm, w.vault, 0n)),
    }),
    ...failing('MathOverflow', {
      'deployed and amount do not fit into 64 bits': both(
        edited('vault', (data) => data.writeBigUInt64LE(U64_MAX - 5n, 16)),
        after((w) => setTokenAccount(w.svm, w.vault, 5n)),
      ),
    }),
  ]);
});

describe('the order of checks of yield_deposit', () => {
  itChecksInOrder(
    worldWithReserve,
    deposit,
    checksOfYield(2, [
      'fraction',
      after((w) => run(w, setMaxDeployedFraction(w, 0))),
      'DeployedFractionExceeded',
    ]),
  );
});

function ownersDeposit(world: World, args: Parameters<typeof yieldDeposit>[1]): Call {
  return byOwner(yieldDeposit(world, args), world);
}
