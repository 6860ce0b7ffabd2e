import { describe, expect, it } from 'vitest';
import { attempt, type Call, run } from '../support/call.ts';
import {
  byOwner,
  initYield,
  redeemByOwner,
  setMaxDeployedFraction,
  sweepTokenAccount,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import { getAccount, NOW, setClock, tokenBalance } from '../support/chain.ts';
import { release, signed, until } from '../support/durable-nonce.ts';
import { fullWorld } from '../support/every-instruction.ts';
import { expectError } from '../support/expect.ts';
import { type World, worldWithReserve } from '../support/world.ts';
import {
  balances,
  loseCollateral,
  worldWithInterest,
  worldWithLoss,
} from '../support/yield-world.ts';

/* What the owner signs about deployed money, held back like the grants of `withheld`. */

const DEADLINE = NOW + 90n;

/** Some of the owner's calls that change what is deployed, and a session's. */
const changes: readonly (readonly [string, (world: World) => Call, () => World])[] = [
  ['a deposit', (w) => byOwner(yieldDeposit(w), w), worldWithReserve],
  ['a deposit of a session', (w) => yieldDeposit(w), worldWithReserve],
  ['a withdrawal of everything', (w) => byOwner(withdrawal(w), w), worldWithInterest],
  ['a withdrawal of a session', withdrawal, worldWithInterest],
  ['a redemption', (w) => redeemByOwner(w, 20n), worldWithInterest],
  ['a write-off', (w) => redeemByOwner(w, 0n), worldWithLoss],
  ['a sweep of the collateral', (w) => sweepTokenAccount(w), fullWorld],
  ['a sweep that closes', (w) => sweepTokenAccount(w, { close: true }), fullWorld],
];

const bySession: readonly (readonly [string, (world: World) => Call, () => World])[] = [
  ['a deposit', (w) => yieldDeposit(w), worldWithReserve],
  ['a withdrawal', withdrawal, worldWithInterest],
];

describe('a spend of a session that has landed', () => {
  // Nothing but this refusal proves that a second attempt would pay twice.
  it.each(bySession)(
    'is refused as executed after its deadline too: %s',
    (_name, call, makeWorld) => {
      const world = makeWorld();
      const spend = until(DEADLINE, call(world));
      run(world, spend);
      setClock(world.svm, DEADLINE + 1n);
      expectError(attempt(world, spend), 'SpendAlreadyExecuted');
    },
  );
});

describe('a change of what is deployed that was held back', () => {
  it.each(changes)('lands until the last second of its deadline: %s', (_name, call, makeWorld) => {
    const world = makeWorld();
    const held = signed(world, until(DEADLINE, call(world)));
    setClock(world.svm, DEADLINE);
    expect(release(world, held).failed).toBe(false);
  });

  it.each(changes)('does not land after its deadline: %s', (_name, call, makeWorld) => {
    const world = makeWorld();
    const held = signed(world, until(DEADLINE, call(world)));
    setClock(world.svm, DEADLINE + 1n);
    const before = [balances(world), getAccount(world.svm, world.session)];
    expectError(release(world, held), 'DeadlinePassed');
    expect([balances(world), getAccount(world.svm, world.session)]).toEqual(before);
  });

  it('puts no money into the reserve after the owner has taken everything out', () => {
    const world = worldWithReserve();
    const first = byOwner(yieldDeposit(world, { amount: 500n }), world);
    const held = signed(world, until(DEADLINE, first));
    run(world, first);
    run(world, redeemByOwner(world, 500n));
    setClock(world.svm, DEADLINE + 1n);
    expectError(release(world, held), 'DeadlinePassed');
    expect(balances(world)).toMatchObject({ collateral: 0n, deployed: 0n });
  });

  it('does not let sessions lose the fraction again after another loss', () => {
    const world = worldWithLoss();
    const writeOff = redeemByOwner(world, 0n);
    const held = signed(world, until(DEADLINE, writeOff));
    run(world, writeOff, setMaxDeployedFraction(world, 1));
    const most = 99_999n;
    run(world, yieldDeposit(world, { amount: most, spend_seq: 3n }));
    loseCollateral(world);
    setClock(world.svm, DEADLINE + 1n);
    expectError(release(world, held), 'DeadlinePassed');
    const again = yieldDeposit(world, { amount: most, spend_seq: 4n });
    expectError(attempt(world, again), 'DeployedFractionExceeded');
    expect(balances(world)).toMatchObject({ deployed: most });
  });

  it('does not take the position out again and free the fraction for another', () => {
    const world = fullWorld();
    const sweep = sweepTokenAccount(world, { close: true });
    const held = signed(world, until(DEADLINE, sweep));
    run(world, sweep);
    run(world, initYield(world), yieldDeposit(world, { amount: 30n, spend_seq: 3n }));
    const before = balances(world);
    setClock(world.svm, DEADLINE + 1n);
    expectError(release(world, held), 'DeadlinePassed');
    expect(balances(world)).toEqual(before);
    expect(tokenBalance(world.svm, world.collateral)).toBe(20n);
  });
});

/** Everything that is deployed in {@link worldWithInterest}. */
function withdrawal(world: World): Call {
  return yieldWithdraw(world, { amount: 99n, spend_seq: 3n });
}
