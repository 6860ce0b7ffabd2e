import type { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { initYield, setPaused } from '../support/calls.ts';
import { run } from '../support/call.ts';
import { getAccount, setAccount, setTokenAccount, tokenBalance } from '../support/chain.ts';
import { expectEvent, itRefuses } from '../support/expect.ts';
import { another, faulty, swapped } from '../support/faults.ts';
import { refusalsOfOwnedVault, refusalsOfTokenProgram } from '../support/refusals.ts';
import { reserveAccounts } from '../support/reserve.ts';
import { read, strangersWorld, type World, worldBeforeYield } from '../support/world.ts';
import { refusalsOfHeldAccount } from '../support/yield-refusals.ts';

const COLLATERAL_MINT = reserveAccounts.reserve_collateral_mint;

describe('init_yield', () => {
  it('creates both token accounts, stores the bump emits the event in the log and as a self-call', () => {
    const world = worldBeforeYield();
    const vault = read(world, 'Vault', world.vault);
    const outcome = run(world, initYield(world));
    expect(outcome.logs[1]).toBe('Program log: Instruction: InitYield');
    for (const [address, mint] of tokenAccounts(world)) {
      const data = getAccount(world.svm, address)?.data ?? Buffer.alloc(0);
      expect(data.subarray(0, 64)).toEqual(
        Buffer.concat([mint.toBuffer(), world.yieldAuthority.toBuffer()]),
      );
    }
    const { yield_bump: bump } = read(world, 'Vault', world.vault);
    expect(read(world, 'Vault', world.vault)).toEqual({ ...vault, yield_bump: bump });
    expect(bump).toBeGreaterThan(0);
    expectEvent(outcome, 'YieldInitialized', {
      vault: world.vault.toBase58(),
      yield_authority: world.yieldAuthority.toBase58(),
      transit_token_account: world.transit.toBase58(),
      collateral_token_account: world.collateral.toBase58(),
      reserve: reserveAccounts.reserve.toBase58(),
    });
  });

  it('changes nothing and emits nothing the second time', () => {
    const world = worldBeforeYield();
    run(world, initYield(world));
    const accounts = () =>
      [world.vault, world.transit, world.collateral].map((one) => getAccount(world.svm, one));
    const before = accounts();
    const outcome = run(world, initYield(world));
    expect(accounts()).toEqual(before);
    expect(outcome.selfCalls).toEqual([]);
  });

  it.each([0, 1, 2])('accepts accounts that a third party created (%i)', (place) => {
    const world = worldBeforeYield();
    for (const [address, mint] of tokenAccounts(world).filter((_, i) => i !== place)) {
      setTokenAccount(world.svm, world.yieldAuthority, 7n, { address, mint });
    }
    run(world, initYield(world));
    expect(tokenAccounts(world).map(([address]) => tokenBalance(world.svm, address))).toEqual([
      place === 0 ? 0n : 7n,
      place === 1 ? 0n : 7n,
    ]);
  });

  it('works with lamports on the addresses and while the vault is paused', () => {
    const world = worldBeforeYield();
    for (const [address] of tokenAccounts(world)) setAccount(world.svm, address, { lamports: 5n });
    run(world, setPaused(world, true), initYield(world));
    expect(getAccount(world.svm, world.collateral)?.data).toHaveLength(165);
  });

  itRefuses(worldWithAccounts, initYield, [
    ...refusalsOfHeldAccount('transit'),
    ...refusalsOfHeldAccount('collateral'),
  ]);

  itRefuses(worldBeforeYield, initYield, [
    ...refusalsOfOwnedVault,
    ...faulty('owner', 'readonly'),
    ...faulty('vault', 'readonly'),
    ...swapped('vault', 'ConstraintHasOne', {
      'that of another owner': (w) => strangersWorld(w).vault,
    }),
    ...swapped('yield_authority', 'ConstraintSeeds', {
      'that of another vault': (w) => strangersWorld(w).yieldAuthority,
    }),
    ...swapped('usdc_mint', 'ConstraintAddress', { 'the collateral mint': () => COLLATERAL_MINT }),
    ...another('ReserveMismatch', 'collateral_mint'),
    ...faulty('collateral_mint', 'missing'),
    ...refusalsOfTokenProgram,
    ...another('InvalidProgramId', 'associated_token_program', 'system_program'),
  ]);
});

function tokenAccounts(world: World): readonly (readonly [PublicKey, PublicKey])[] {
  return [
    [world.transit, reserveAccounts.reserve_liquidity_mint],
    [world.collateral, COLLATERAL_MINT],
  ];
}

/** A third party has created both accounts. */
function worldWithAccounts(): World {
  const world = worldBeforeYield();
  for (const [address, mint] of tokenAccounts(world)) {
    setTokenAccount(world.svm, world.yieldAuthority, 0n, { address, mint });
  }
  return world;
}
