import { describe, expect, it } from 'vitest';
import { attempt, run } from '../support/call.ts';
import {
  byOwner,
  redeemByOwner,
  setMaxDeployedFraction,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import { send, setTokenAccount, U64_MAX } from '../support/chain.ts';
import { expectError, expectForeignError } from '../support/expect.ts';
import { borrowOut, repay, RESERVE_PROGRAM_ID, reserveInstruction } from '../support/reserve.ts';
import { RESERVE_ADMIN, VAULT_BALANCE, type World, worldWithReserve } from '../support/world.ts';
import { balances } from '../support/yield-world.ts';

const INSUFFICIENT_LIQUIDITY = 6008;

/** 100 are deployed; a stranger gives the wallet 1 000 units, of which the reserve can pay 400. */
describe('donated collateral that one redemption cannot pay', () => {
  it('stops every withdrawal of everything', () => {
    const world = worldWithDonation();
    const all = { amount: 100n, collateral_amount: 100n, spend_seq: 2n };
    const calls = [yieldWithdraw(world, all), byOwner(yieldWithdraw(world, all), world)];
    for (const call of [...calls, redeemByOwner(world, 1_100n)]) {
      const program = RESERVE_PROGRAM_ID.toBase58();
      expectForeignError(attempt(world, call), program, INSUFFICIENT_LIQUIDITY);
    }
  });

  it('lets the owner take out everything in parts, down to the last unit', () => {
    const world = worldWithDonation();
    run(world, redeemByOwner(world, 1n), redeemByOwner(world, 399n));
    expect(balances(world)).toMatchObject({ vault: VAULT_BALANCE + 300n, deployed: 0n });
    // As soon as the reserve is repaid, the rest comes as well.
    for (const part of [500n, 199n, 1n]) {
      repay(world.svm, RESERVE_ADMIN, part);
      run(world, redeemByOwner(world, part));
    }
    expect(balances(world)).toMatchObject({
      vault: VAULT_BALANCE + 1_000n,
      transit: 0n,
      collateral: 0n,
      deployed: 0n,
    });
  });

  it('lets a session take out no more than what is deployed', () => {
    const world = worldWithDonation();
    const part = { amount: 99n, collateral_amount: 99n, spend_seq: 2n };
    run(world, yieldWithdraw(world, part));
    for (const amount of [2n, U64_MAX]) {
      const more = yieldWithdraw(world, { amount, collateral_amount: 2n, spend_seq: 3n });
      expectError(attempt(world, more), 'WithdrawExceedsDeployed');
    }
  });

  it('raises what may be deployed by nothing while it comes home', () => {
    const world = worldWithDonation();
    run(world, setMaxDeployedFraction(world, 0), redeemByOwner(world, 400n));
    const deposit = yieldDeposit(world, { amount: 1n, spend_seq: 2n });
    expectError(attempt(world, deposit), 'DeployedFractionExceeded');
  });
});

function worldWithDonation(): World {
  const world = worldWithReserve();
  run(world, yieldDeposit(world, { amount: 100n }));
  const { svm, stranger } = world;
  const user_source_liquidity = setTokenAccount(svm, stranger.publicKey, 1_000n);
  const donation = reserveInstruction({
    name: 'deposit_reserve_liquidity',
    amount: 1_000n,
    signer: stranger.publicKey,
    accounts: { user_source_liquidity, user_destination_collateral: world.collateral },
  });
  expect(send(svm, [donation], [stranger]).failed).toBe(false);
  borrowOut(svm, RESERVE_ADMIN, 701n);
  return world;
}
