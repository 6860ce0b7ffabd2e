import { TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { initYield, readonly, replaced, run, setPaused } from './support/calls.ts';
import { getAccount, setAccount, setTokenAccount, tokenBalance } from './support/chain.ts';
import { expectEvent, itRefuses } from './support/expect.ts';
import { refusalsOfOwnedVault, removed, strangersWorld } from './support/refusals.ts';
import { addReserve, reserveAccounts } from './support/reserve.ts';
import { read, RESERVE_ADMIN, type World, worldWithVault } from './support/world.ts';
import { refusalsOfHeldAccount } from './support/yield-account-refusals.ts';

const COLLATERAL_MINT = reserveAccounts.reserve_collateral_mint;

describe('init_yield', () => {
  it('creates both token accounts, notes the bump and says so in both channels', () => {
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

  it('changes nothing and says nothing the second time', () => {
    const world = worldBeforeYield();
    run(world, initYield(world));
    const before = [world.vault, world.transit, world.collateral].map((address) =>
      getAccount(world.svm, address),
    );
    const outcome = run(world, initYield(world));
    expect(
      [world.vault, world.transit, world.collateral].map((address) =>
        getAccount(world.svm, address),
      ),
    ).toEqual(before);
    expect(outcome.selfCalls).toEqual([]);
  });

  it.each([0, 1, 2])('takes accounts that somebody has made before (%i)', (place) => {
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

  it('is not stopped by lamports on the addresses nor by a pause', () => {
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
    ['the owner is not writable', readonly('owner'), 'ConstraintMut', 'owner'],
    ['the vault is not writable', readonly('vault'), 'ConstraintMut', 'vault'],
    [
      'the vault is that of another owner',
      replaced('vault', (w) => strangersWorld(w).vault),
      'ConstraintHasOne',
      'vault',
    ],
    [
      'the yield authority is that of another vault',
      replaced('yield_authority', (w) => strangersWorld(w).yieldAuthority),
      'ConstraintSeeds',
      'yield_authority',
    ],
    [
      'the mint is another',
      replaced('usdc_mint', () => COLLATERAL_MINT),
      'ConstraintAddress',
      'usdc_mint',
    ],
    [
      'the collateral mint is another',
      replaced('collateral_mint', (w) => w.stranger.publicKey),
      'ReserveMismatch',
      'collateral_mint',
    ],
    [
      'the collateral mint is missing',
      removed(() => COLLATERAL_MINT),
      'AccountNotInitialized',
      'collateral_mint',
    ],
    [
      'the token program is Token-2022',
      replaced('token_program', () => TOKEN_2022_PROGRAM_ID),
      'InvalidProgramId',
      'token_program',
    ],
    [
      'the associated token program is another',
      replaced('associated_token_program', (w) => w.stranger.publicKey),
      'InvalidProgramId',
      'associated_token_program',
    ],
    [
      'the system program is another',
      replaced('system_program', (w) => w.stranger.publicKey),
      'InvalidProgramId',
      'system_program',
    ],
  ]);
});

function worldBeforeYield(): World {
  const world = worldWithVault();
  addReserve(world.svm, RESERVE_ADMIN);
  return world;
}

function tokenAccounts(world: World): readonly (readonly [PublicKey, PublicKey])[] {
  return [
    [world.transit, reserveAccounts.reserve_liquidity_mint],
    [world.collateral, COLLATERAL_MINT],
  ];
}

/** Somebody has made both accounts before the owner. */
function worldWithAccounts(): World {
  const world = worldBeforeYield();
  for (const [address, mint] of tokenAccounts(world)) {
    setTokenAccount(world.svm, world.yieldAuthority, 0n, { address, mint });
  }
  return world;
}
