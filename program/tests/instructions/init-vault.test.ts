import { describe, expect, it } from 'vitest';
import { after, withArgs } from '../support/mutators.ts';
import { initVault } from '../support/calls.ts';
import { run } from '../support/call.ts';
import {
  FIRST_INDEX,
  getAccount,
  passSlots,
  setAccount,
  setMint,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
} from '../support/chain.ts';
import { expectEvent, itChecksInOrder, itRefuses } from '../support/expect.ts';
import { another, failing, faulty, swapped } from '../support/faults.ts';
import {
  firstChecksOfGrant,
  refusalsOfArguments,
  refusalsOfCall,
  refusalsOfDeadline,
  refusalsOfTokenProgram,
} from '../support/refusals.ts';
import { emptyWorld, read, vaultAddress, type World } from '../support/world.ts';

describe('init_vault', () => {
  it('creates the vault and its token account and emits the event in the log and as a self-call', () => {
    const world = emptyWorld();
    const outcome = run(world, initVault(world, 10_000));
    const owner = world.owner.publicKey.toBase58();
    const vault_token_account = world.vaultTokenAccount.toBase58();
    expect(outcome.logs[1]).toBe('Program log: Instruction: InitVault');
    expect(read(world, 'Vault', world.vault)).toMatchObject({
      version: 2,
      max_deployed_fraction_bp: 10_000,
      paused: false,
      deployed_amount: 0n,
      next_session_index: FIRST_INDEX,
      open_sessions: 0n,
      owner,
      vault_token_account,
    });
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(0n);
    expectEvent(outcome, 'VaultInitialized', {
      owner,
      vault: world.vault.toBase58(),
      vault_token_account,
      max_deployed_fraction_bp: 10_000,
    });
  });

  it('accepts a token account that a third party created and funded', () => {
    const world = emptyWorld();
    setTokenAccount(world.svm, world.vault, 77n);
    run(world, initVault(world));
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(77n);
  });

  it.each([1n, 1_614_720n, 500_000_000n])(
    'accepts an address that holds %d lamports',
    (lamports) => {
      const world = emptyWorld();
      setAccount(world.svm, world.vault, { lamports });
      run(world, initVault(world));
      expect(read(world, 'Vault', world.vault)['version']).toBe(2);
      const rent = world.svm.minimumBalanceForRentExemption(104n);
      const expected = lamports > rent ? lamports : rent;
      expect(getAccount(world.svm, world.vault)?.lamports).toBe(expected);
    },
  );

  it('pays exactly the rent of the account', () => {
    const world = emptyWorld();
    run(world, initVault(world));
    const rent = world.svm.minimumBalanceForRentExemption(104n);
    expect(getAccount(world.svm, world.vault)?.lamports).toBe(rent);
  });

  itRefuses(emptyWorld, initVault, [
    ...faulty('owner', 'unsigned', 'readonly'),
    ...faulty('vault', 'readonly'),
    ...swapped('vault', 'ConstraintSeeds', {
      'that of another owner': (w) => vaultAddress(w.stranger.publicKey),
    }),
    ...failing(
      'AccountNotSystemOwned',
      { 'there is a vault already': after((w) => run(w, initVault(w))) },
      'vault',
    ),
    ...faulty('vault_token_account', 'readonly'),
    ...swapped('vault_token_account', 'ConstraintAssociated', {
      'that of another wallet': (w) => tokenAddress(w.owner.publicKey),
      'the vault itself': (w) => w.vault,
    }),
    ...swapped('usdc_mint', 'ConstraintAddress', {
      'another mint': (w) => {
        setMint(w.svm, w.stranger.publicKey);
        return w.stranger.publicKey;
      },
    }),
    ...faulty('usdc_mint', 'missing'),
    ...refusalsOfTokenProgram,
    ...another('InvalidProgramId', 'associated_token_program', 'system_program'),
    ...failing('MathOverflow', {
      'the slot times 65 536 does not fit into 64 bits': after((w) => passSlots(w.svm, 2n ** 48n)),
    }),
    ...failing('InvalidFraction', {
      'the fraction is above the whole': withArgs({ max_deployed_fraction_bp: 10_001 }),
    }),
    ...refusalsOfCall,
    ...refusalsOfArguments,
    ...refusalsOfDeadline,
  ]);

  itChecksInOrder(emptyWorld, initVault, [
    ['fraction', withArgs({ max_deployed_fraction_bp: 10_001 }), 'InvalidFraction'],
    ...firstChecksOfGrant,
  ]);

  itRefuses(worldWithTokenAccount, initVault, [
    ...faulty('vault_token_account', 'frozen', 'delegated', 'closable', 'handedOver', 'foreign'),
    ...faulty('vault_token_account', 'longer', 'otherMint'),
  ]);
});

/** A third party has created the token account of the vault. */
function worldWithTokenAccount(): World {
  const world = emptyWorld();
  setTokenAccount(world.svm, world.vault, 0n);
  return world;
}
