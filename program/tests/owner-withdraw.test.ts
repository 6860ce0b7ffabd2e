import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { describe, expect, it } from 'vitest';
import {
  after,
  attempt,
  both,
  ownerWithdraw,
  readonly,
  replaced,
  run,
  setPaused,
  withArgs,
  withData,
} from './support/calls.ts';
import {
  editData,
  setAccount,
  setMint,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
} from './support/chain.ts';
import { expectEvent, expectForeignError, itRefuses } from './support/expect.ts';
import { refusalsOfOwnedVault, removed, strangersWorld } from './support/refusals.ts';
import {
  foreignTokenAddress,
  read,
  VAULT_BALANCE,
  type World,
  worldWithVault,
} from './support/world.ts';

const EVERYTHING = 2n ** 64n - 1n;
const TOKEN_INSUFFICIENT_FUNDS = 0x1;
const TOKEN_ACCOUNT_FROZEN = 0x11;

describe('owner_withdraw', () => {
  it.each([
    ['one unit', 1n, 1n],
    ['all but one unit', VAULT_BALANCE - 1n, VAULT_BALANCE - 1n],
    ['the whole balance', VAULT_BALANCE, VAULT_BALANCE],
    ['everything', EVERYTHING, VAULT_BALANCE],
  ])('pays the owner %s and says so in both channels', (_what, asked, amount) => {
    const world = worldWithFundedOwner();
    const vault = read(world, 'Vault', world.vault);
    const outcome = run(world, ownerWithdraw(world, asked));
    expect(outcome.logs[1]).toBe('Program log: Instruction: OwnerWithdraw');
    expect(balances(world)).toEqual([VAULT_BALANCE - amount, amount]);
    expect(read(world, 'Vault', world.vault)).toEqual(vault);
    expectEvent(outcome, 'OwnerWithdrew', {
      vault: world.vault.toBase58(),
      owner: world.owner.publicKey.toBase58(),
      owner_token_account: tokenAddress(world.owner.publicKey).toBase58(),
      amount,
      vault_balance_after: VAULT_BALANCE - amount,
    });
  });

  it('works while the vault is paused', () => {
    const world = worldWithFundedOwner();
    run(world, setPaused(world, true), ownerWithdraw(world, EVERYTHING));
    expect(balances(world)).toEqual([0n, VAULT_BALANCE]);
  });

  it('pays any token account that belongs to the owner', () => {
    const world = worldWithFundedOwner();
    const address = world.stranger.publicKey;
    setTokenAccount(world.svm, world.owner.publicKey, 3n, { address });
    const call = replaced('owner_token_account', () => address)(ownerWithdraw(world), world);
    run(world, call);
    expect(tokenBalance(world.svm, address)).toBe(13n);
  });

  it.each([
    ['the vault holds less', 9n, 1, TOKEN_INSUFFICIENT_FUNDS],
    ['the vault is frozen', VAULT_BALANCE, 2, TOKEN_ACCOUNT_FROZEN],
  ])('leaves it to the token program when %s', (_behaviour, balance, state, code) => {
    const world = worldWithFundedOwner();
    editData(world.svm, world.vaultTokenAccount, (data) => {
      data.writeBigUInt64LE(balance, 64);
      data.writeUInt8(state, 108);
    });
    const outcome = attempt(world, ownerWithdraw(world, 10n));
    expectForeignError(outcome, TOKEN_PROGRAM_ID.toBase58(), code);
  });

  itRefuses(worldWithFundedOwner, ownerWithdraw, [
    ...refusalsOfOwnedVault,
    ['the amount is zero', withArgs(() => ({ amount: 0n })), 'InvalidAmount'],
    [
      'everything is nothing',
      both(
        withArgs(() => ({ amount: EVERYTHING })),
        after((w) => setTokenAccount(w.svm, w.vault, 0n)),
      ),
      'InvalidAmount',
    ],
    [
      'the token account of the vault is not writable',
      readonly('vault_token_account'),
      'ConstraintMut',
      'vault_token_account',
    ],
    [
      'the token account of the vault is that of another vault',
      replaced('vault_token_account', (w) => {
        const { vault } = strangersWorld(w);
        return setTokenAccount(w.svm, vault, 100n);
      }),
      'ConstraintAssociated',
      'vault_token_account',
    ],
    [
      'the token account of the vault is another account of the vault',
      replaced('vault_token_account', (w) =>
        setTokenAccount(w.svm, w.vault, 100n, { address: w.stranger.publicKey }),
      ),
      'ConstraintAssociated',
      'vault_token_account',
    ],
    [
      'the token account of the vault is missing',
      removed((w) => w.vaultTokenAccount),
      'AccountNotInitialized',
      'vault_token_account',
    ],
    [
      'the token account of the owner is not writable',
      readonly('owner_token_account'),
      'ConstraintMut',
      'owner_token_account',
    ],
    [
      'the token account of the owner is missing',
      removed((w) => tokenAddress(w.owner.publicKey)),
      'AccountNotInitialized',
      'owner_token_account',
    ],
    [
      'the token account of the owner is one of Token-2022',
      after((w) =>
        setAccount(w.svm, tokenAddress(w.owner.publicKey), { owner: TOKEN_2022_PROGRAM_ID }),
      ),
      'AccountOwnedByWrongProgram',
      'owner_token_account',
    ],
    [
      'the token account of the owner has another length',
      after((w) => setAccount(w.svm, tokenAddress(w.owner.publicKey), { data: Buffer.alloc(82) })),
      'AccountDidNotDeserialize',
      'owner_token_account',
    ],
    [
      'the token account belongs to somebody else',
      replaced('owner_token_account', (w) => setTokenAccount(w.svm, w.stranger.publicKey, 0n)),
      'ConstraintTokenOwner',
      'owner_token_account',
    ],
    [
      'the token account is that of the vault',
      replaced('owner_token_account', (w) => w.vaultTokenAccount),
      'ConstraintTokenOwner',
      'owner_token_account',
    ],
    [
      'the token account of the owner is of another mint',
      replaced('owner_token_account', (w) => {
        const mint = w.stranger.publicKey;
        setMint(w.svm, mint);
        const address = foreignTokenAddress(w.owner.publicKey, mint);
        return setTokenAccount(w.svm, w.owner.publicKey, 0n, { address, mint });
      }),
      'ConstraintTokenMint',
      'owner_token_account',
    ],
    [
      'the mint is another',
      replaced('usdc_mint', (w) => w.stranger.publicKey),
      'ConstraintAddress',
      'usdc_mint',
    ],
    [
      'the token program is Token-2022',
      replaced('token_program', () => TOKEN_2022_PROGRAM_ID),
      'InvalidProgramId',
      'token_program',
    ],
    [
      'the arguments are cut off',
      withData((data) => data.subarray(0, -1)),
      'InstructionDidNotDeserialize',
    ],
  ]);
});

function worldWithFundedOwner(): World {
  const world = worldWithVault();
  setTokenAccount(world.svm, world.owner.publicKey, 0n);
  return world;
}

function balances({ svm, owner, vaultTokenAccount }: World): readonly bigint[] {
  return [tokenBalance(svm, vaultTokenAccount), tokenBalance(svm, tokenAddress(owner.publicKey))];
}
