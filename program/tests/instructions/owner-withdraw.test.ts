import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { describe, expect, it } from 'vitest';
import { after, both, replaced, withArgs } from '../support/mutators.ts';
import { attempt, run } from '../support/call.ts';
import { ownerWithdraw, setPaused } from '../support/calls.ts';
import {
  editData,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
  U64_MAX,
} from '../support/chain.ts';
import {
  expectEvent,
  expectForeignError,
  itRefuses,
  TOKEN_INSUFFICIENT_FUNDS,
  TOKEN_ACCOUNT_FROZEN,
} from '../support/expect.ts';
import { another, failing, faulty, swapped } from '../support/faults.ts';
import {
  refusalsOfArguments,
  refusalsOfOwnedVault,
  refusalsOfTokenProgram,
} from '../support/refusals.ts';
import {
  foreignTokenAccount,
  read,
  strangersWorld,
  VAULT_BALANCE,
  type World,
  worldWithFundedOwner,
} from '../support/world.ts';

describe('owner_withdraw', () => {
  it.each([
    ['one unit', 1n, 1n],
    ['all but one unit', VAULT_BALANCE - 1n, VAULT_BALANCE - 1n],
    ['the whole balance', VAULT_BALANCE, VAULT_BALANCE],
    ['everything', U64_MAX, VAULT_BALANCE],
  ])(
    'pays the owner %s and emits the event in the log and as a self-call',
    (_what, requested, amount) => {
      const world = worldWithFundedOwner();
      const vault = read(world, 'Vault', world.vault);
      const outcome = run(world, ownerWithdraw(world, requested));
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
    },
  );

  it('works while the vault is paused', () => {
    const world = worldWithFundedOwner();
    run(world, setPaused(world, true), ownerWithdraw(world, U64_MAX));
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
  ])('leaves the refusal to the token program when %s', (_behaviour, balance, state, code) => {
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
    ...refusalsOfArguments,
    ...failing('InvalidAmount', {
      'the amount is zero': withArgs({ amount: 0n }),
      'everything is nothing': both(
        withArgs({ amount: U64_MAX }),
        after((w) => setTokenAccount(w.svm, w.vault, 0n)),
      ),
    }),
    ...faulty('vault_token_account', 'readonly', 'duplicate', 'missing'),
    ...swapped('vault_token_account', 'ConstraintAssociated', {
      'that of another vault': (w) => setTokenAccount(w.svm, strangersWorld(w).vault, 100n),
    }),
    ...faulty('owner_token_account', 'readonly', 'missing', 'token2022', 'mintSized'),
    ...swapped('owner_token_account', 'ConstraintTokenOwner', {
      "a stranger's": (w) => setTokenAccount(w.svm, w.stranger.publicKey, 0n),
      'that of the vault': (w) => w.vaultTokenAccount,
    }),
    ...swapped('owner_token_account', 'ConstraintTokenMint', {
      'one of another mint': (w) => foreignTokenAccount(w, w.owner.publicKey),
    }),
    ...another('ConstraintAddress', 'usdc_mint'),
    ...refusalsOfTokenProgram,
  ]);
});

function balances({ svm, owner, vaultTokenAccount }: World): readonly bigint[] {
  return [tokenBalance(svm, vaultTokenAccount), tokenBalance(svm, tokenAddress(owner.publicKey))];
}
