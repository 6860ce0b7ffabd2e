import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { describe, expect, it } from 'vitest';
import {
  after,
  initVault,
  readonly,
  replaced,
  run,
  unsigned,
  withArgs,
  withData,
  withoutLastAccount,
} from './support/calls.ts';
import {
  editData,
  getAccount,
  removeAccount,
  setAccount,
  setMint,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
  USDC_MINT,
} from './support/chain.ts';
import { expectEvent, itRefuses } from './support/expect.ts';
import { emptyWorld, read, vaultAddress, type World } from './support/world.ts';

describe('init_vault', () => {
  it('creates the vault and its token account and says so in both channels', () => {
    const world = emptyWorld();
    const outcome = run(world, initVault(world, 10_000));
    const owner = world.owner.publicKey.toBase58();
    const vault_token_account = world.vaultTokenAccount.toBase58();
    expect(outcome.logs[1]).toBe('Program log: Instruction: InitVault');
    expect(read(world, 'Vault', world.vault)).toMatchObject({
      version: 1,
      max_deployed_fraction_bp: 10_000,
      paused: false,
      deployed_amount: 0n,
      sessions_created: 0n,
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

  it('takes a token account that somebody made and funded before', () => {
    const world = emptyWorld();
    setTokenAccount(world.svm, world.vault, 77n);
    run(world, initVault(world));
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(77n);
  });

  it.each([1n, 1_559_040n, 500_000_000n])('takes an address that holds %d lamports', (lamports) => {
    const world = emptyWorld();
    setAccount(world.svm, world.vault, { lamports });
    run(world, initVault(world));
    expect(read(world, 'Vault', world.vault)['version']).toBe(1);
    const rent = world.svm.minimumBalanceForRentExemption(96n);
    const expected = lamports > rent ? lamports : rent;
    expect(getAccount(world.svm, world.vault)?.lamports).toBe(expected);
  });

  it('pays the rent that the chain asks for', () => {
    const world = emptyWorld();
    run(world, initVault(world));
    const rent = world.svm.minimumBalanceForRentExemption(96n);
    expect(getAccount(world.svm, world.vault)?.lamports).toBe(rent);
  });

  itRefuses(emptyWorld, initVault, [
    ['the owner does not sign', unsigned('owner'), 'AccountNotSigner', 'owner'],
    ['the owner is not writable', readonly('owner'), 'ConstraintMut', 'owner'],
    ['the vault is not writable', readonly('vault'), 'ConstraintMut', 'vault'],
    [
      'the vault is that of another owner',
      replaced('vault', ({ stranger }) => vaultAddress(stranger.publicKey)),
      'ConstraintSeeds',
      'vault',
    ],
    [
      'there is a vault already',
      after((world) => run(world, initVault(world))),
      'AccountNotSystemOwned',
      'vault',
    ],
    [
      'the token account is not writable',
      readonly('vault_token_account'),
      'ConstraintMut',
      'vault_token_account',
    ],
    [
      'the token account is that of another wallet',
      replaced('vault_token_account', ({ owner }) => tokenAddress(owner.publicKey)),
      'ConstraintAssociated',
      'vault_token_account',
    ],
    [
      'the token account is the vault itself',
      replaced('vault_token_account', ({ vault }) => vault),
      'ConstraintAssociated',
      'vault_token_account',
    ],
    [
      'the mint is another',
      replaced('usdc_mint', (world) => {
        setMint(world.svm, world.stranger.publicKey);
        return world.stranger.publicKey;
      }),
      'ConstraintAddress',
      'usdc_mint',
    ],
    [
      'the mint does not exist',
      after(({ svm }) => removeAccount(svm, USDC_MINT)),
      'AccountNotInitialized',
      'usdc_mint',
    ],
    [
      'the token program is Token-2022',
      replaced('token_program', () => TOKEN_2022_PROGRAM_ID),
      'InvalidProgramId',
      'token_program',
    ],
    [
      'the associated token program is another',
      replaced('associated_token_program', ({ stranger }) => stranger.publicKey),
      'InvalidProgramId',
      'associated_token_program',
    ],
    [
      'the system program is another',
      replaced('system_program', ({ stranger }) => stranger.publicKey),
      'InvalidProgramId',
      'system_program',
    ],
    [
      'the event authority is another',
      replaced('event_authority', ({ stranger }) => stranger.publicKey),
      'ConstraintSeeds',
      'event_authority',
    ],
    [
      'the program is another',
      replaced('program', ({ stranger }) => stranger.publicKey),
      'InvalidProgramId',
      'program',
    ],
    ['an account is missing', withoutLastAccount, 'AccountNotEnoughKeys'],
    [
      'the fraction is above the whole',
      withArgs(() => ({ max_deployed_fraction_bp: 10_001 })),
      'InvalidFraction',
    ],
    [
      'the token account is frozen',
      after(spoilTokenAccount((data) => data.writeUInt8(2, 108))),
      'TokenAccountFrozen',
      'vault_token_account',
    ],
    [
      'the token account has a delegate',
      after(spoilTokenAccount((data) => data.writeUInt32LE(1, 72))),
      'TokenAccountDelegated',
      'vault_token_account',
    ],
    [
      'the token account has a close authority',
      after(spoilTokenAccount((data) => data.writeUInt32LE(1, 129))),
      'TokenAccountCloseAuthority',
      'vault_token_account',
    ],
    [
      'the token account was handed to another owner',
      after(
        spoilTokenAccount((data, { stranger }) => stranger.publicKey.toBuffer().copy(data, 32)),
      ),
      'ConstraintTokenOwner',
      'vault_token_account',
    ],
    [
      'the token account is one of another program',
      after(({ svm, vaultTokenAccount, stranger }) =>
        setAccount(svm, vaultTokenAccount, { data: Buffer.alloc(165), owner: stranger.publicKey }),
      ),
      'AccountOwnedByWrongProgram',
      'vault_token_account',
    ],
    [
      'the token account has another length',
      after(({ svm, vaultTokenAccount }) =>
        setAccount(svm, vaultTokenAccount, { data: Buffer.alloc(170), owner: TOKEN_PROGRAM_ID }),
      ),
      'AccountDidNotDeserialize',
      'vault_token_account',
    ],
    [
      'the token account has another mint',
      after(spoilTokenAccount((data) => data.fill(7, 0, 32))),
      'ConstraintTokenMint',
      'vault_token_account',
    ],
    [
      'the arguments are cut off',
      withData((data) => data.subarray(0, -1)),
      'InstructionDidNotDeserialize',
    ],
    [
      'a byte follows the arguments',
      withData((data) => Buffer.concat([data, Buffer.of(0)])),
      'InstructionDidNotDeserialize',
    ],
  ]);
});

function spoilTokenAccount(spoil: (data: Buffer, world: World) => void): (world: World) => void {
  return (world) => {
    setTokenAccount(world.svm, world.vault, 0n);
    editData(world.svm, world.vaultTokenAccount, (data) => spoil(data, world));
  };
}
