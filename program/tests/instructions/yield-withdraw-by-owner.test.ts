import { describe, expect, it } from 'vitest';
import { attempt, run } from '../support/call.ts';
import {
  both,
  changed,
  edited,
  type Mutator,
  removed,
  replaced,
  signedBy,
  withArgs,
} from '../support/mutators.ts';
import {
  redeemByOwner,
  setMaxDeployedFraction,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import { setTokenAccount, U64_MAX } from '../support/chain.ts';
import { expectError, expectEvent, itRefuses } from '../support/expect.ts';
import { failing } from '../support/faults.ts';
import { paused } from '../support/refusals.ts';
import { RESERVE_PROGRAM_ID } from '../support/reserve.ts';
import { spendFields, type World } from '../support/world.ts';
import { balances, worldWithInterest, worldWithLoss } from '../support/yield-world.ts';

const withoutCollateral = edited('collateral_token_account', (data) =>
  data.writeBigUInt64LE(0n, 64),
);

/** 99 units of collateral are worth 148.5. */
describe("the owner's largest amount", () => {
  it.each([
    ['a few units', 99n, 20n, 30n, 69n],
    ['units worth more than is deployed', 99n, 98n, 147n, 0n],
    ['all units', 99n, 99n, 148n, 0n],
    ['units with nothing deployed', 0n, 20n, 30n, 0n],
    ['all units with nothing deployed', 0n, 99n, 148n, 0n],
    ['all units, with a loss of one base unit', 149n, 99n, 148n, 0n],
    ['all units, with a loss of two base units', 150n, 99n, 148n, 2n],
    ['all but one, with one base unit still deployed', 148n, 98n, 147n, 1n],
  ])('redeems %s, whatever they return', (_what, deployed, units, returned, left) => {
    const world = worldWithInterest();
    const call = deployedAmount(deployed)(redeemByOwner(world, units), world);
    const before = balances(world);
    const outcome = run(world, call);
    expect(balances(world)).toEqual({
      vault: before.vault + returned,
      transit: 0n,
      collateral: 99n - units,
      reserve: before.reserve - returned,
      deployed: left,
    });
    expectEvent(outcome, 'YieldWithdrawn', {
      ...ownersSpend(world),
      liquidity_delta: returned,
      collateral_delta: units,
      deployed_amount: left,
      vault_balance_after: before.vault + returned,
    });
  });

  itRefuses(worldWithInterest, (w) => redeemByOwner(w, 20n), [
    ...failing('ReserveDeltaMismatch', {
      'no units are named': withArgs({ collateral_amount: 0n }),
      'more units are named than there are': withArgs({ collateral_amount: 100n }),
      'all bits of the number of units are set': withArgs({ collateral_amount: U64_MAX }),
    }),
    ...failing('WithdrawExceedsDeployed', {
      'there is no collateral and nothing is deployed': both(deployedAmount(0n), withoutCollateral),
    }),
    ...failing(
      'AccountNotInitialized',
      { 'the reserve is missing': removed('reserve') },
      'reserve',
    ),
  ]);
});

describe('a write-off', () => {
  it('sets the deployed amount to 0, calls no reserve and emits an event without deltas', () => {
    const world = worldWithLoss();
    setTokenAccount(world.svm, world.yieldAuthority, 77n);
    const before = balances(world);
    const outcome = run(world, redeemByOwner(world, 0n));
    // What lay in transit comes home as in every withdrawal.
    const vault = before.vault + 77n;
    expect(balances(world)).toEqual({ ...before, vault, transit: 0n, deployed: 0n });
    expectEvent(outcome, 'YieldWithdrawn', {
      ...ownersSpend(world),
      liquidity_delta: 0n,
      collateral_delta: 0n,
      deployed_amount: 0n,
      vault_balance_after: vault,
    });
    const called = outcome.innerCalls.map(({ program }) => program);
    expect(called).not.toContain(RESERVE_PROGRAM_ID.toBase58());
  });

  it.each([
    ['is gone', removed('reserve')],
    ['belongs to another program', changed('reserve', (_data, w) => ({ owner: w.recipient }))],
  ])('needs no living reserve: its account %s', (_what, spoil) => {
    const world = worldWithLoss();
    run(world, spoil(redeemByOwner(world, 0n), world));
    expect(balances(world)).toMatchObject({ deployed: 0n });
  });

  it('works while the vault is paused', () => {
    const world = worldWithLoss();
    run(world, paused(redeemByOwner(world, 0n), world));
    expect(balances(world)).toMatchObject({ deployed: 0n });
  });

  it('frees the fraction that the loss had used', () => {
    const world = worldWithLoss();
    run(world, setMaxDeployedFraction(world, 1));
    const deposit = yieldDeposit(world, { amount: 100_000n, spend_seq: 3n });
    expectError(attempt(world, deposit), 'DeployedFractionExceeded');
    run(world, redeemByOwner(world, 0n));
    expectError(attempt(world, deposit), 'DeployedFractionExceeded');
    run(world, yieldDeposit(world, { amount: 99_999n, spend_seq: 3n }));
  });

  it('happens once', () => {
    const world = worldWithLoss();
    run(world, redeemByOwner(world, 0n));
    expectError(attempt(world, redeemByOwner(world, 0n)), 'WithdrawExceedsDeployed');
  });

  itRefuses(worldWithLoss, (w) => redeemByOwner(w, 0n), [
    ...failing('WithdrawExceedsDeployed', {
      'a session withdraws all that is deployed': bySession(99n),
      'a session asks for the largest amount': bySession(U64_MAX),
      'the owner withdraws what is deployed': withArgs({ amount: 99n }),
    }),
    ...failing('ReserveDeltaMismatch', {
      'one unit of collateral is left': edited('collateral_token_account', (data) =>
        data.writeBigUInt64LE(1n, 64),
      ),
      'the owner names a unit, and so wants money': withArgs({ collateral_amount: 1n }),
      'a session withdraws a part': bySession(98n),
    }),
    ...failing(
      'ConstraintHasOne',
      {
        'a stranger signs': signedBy('authority', (w) => w.stranger),
        'the session key signs without its session': signedBy('authority', (w) => w.sessionKey),
      },
      'vault',
    ),
    ...failing(
      'ReserveMismatch',
      { 'the reserve is another': replaced('reserve', (w) => w.stranger.publicKey) },
      'reserve',
    ),
  ]);
});

/** The session withdraws this amount for the same units. */
function bySession(amount: bigint): Mutator {
  return ({ args }, world) => yieldWithdraw(world, { ...args, amount, spend_seq: 3n });
}

function deployedAmount(amount: bigint): Mutator {
  return edited('vault', (data) => data.writeBigUInt64LE(amount, 16));
}

/** The fields that an event of the owner has instead of a spend's. */
function ownersSpend(world: World): Record<string, unknown> {
  const spend_id = Array.from({ length: 16 }, () => 0);
  return {
    ...spendFields(world, 0n),
    session: null,
    session_index: 0n,
    spend_id,
    amount: U64_MAX,
  };
}
