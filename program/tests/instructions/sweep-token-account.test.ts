import { NATIVE_MINT, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import type { LiteSVM } from 'litesvm';
import { describe, expect, it } from 'vitest';
import { after, both, edited, type Mutator, withArgs } from '../support/mutators.ts';
import { attempt, run } from '../support/call.ts';
import { type Sweep, sweepTokenAccount } from '../support/calls.ts';
import {
  editData,
  getAccount,
  keypair,
  PROGRAM_ID,
  setAccount,
  setMint,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
  USDC_MINT,
} from '../support/chain.ts';
import { fullWorld } from '../support/every-instruction.ts';
import { expectEvent, expectForeignError, itChecksInOrder, itRefuses } from '../support/expect.ts';
import { another, failing, faulty, swapped } from '../support/faults.ts';
import {
  firstChecksOfGrant,
  paused,
  refusalsOfArguments,
  refusalsOfDeadline,
  refusalsOfOwnedVault,
} from '../support/refusals.ts';
import { RESERVE_PROGRAM_ID, reserveAccounts } from '../support/reserve.ts';
import { foreignTokenAccount, read, strangersWorld, type World } from '../support/world.ts';
import { balances, worldWithInterest } from '../support/yield-world.ts';

const COLLATERAL_MINT = reserveAccounts.reserve_collateral_mint;
const TOKEN_RENT = 2_039_280n;
const OTHER_MINT = keypair('another mint').publicKey;
const ELSEWHERE = keypair('a token account that is not associated').publicKey;

type Choose = (world: World) => Pick<Sweep, 'authority' | 'mint' | 'token_account'>;

/** Token accounts that the owner can empty only by a sweep, each with 50 base units. */
const strays: readonly (readonly [string, Choose])[] = [
  ['USDC of the vault outside its own account', (w) => stray(w, w.vault, USDC_MINT, ELSEWHERE)],
  ['a foreign mint of the vault', (w) => stray(w, w.vault, OTHER_MINT)],
  ['a foreign mint of the yield authority', (w) => stray(w, w.yieldAuthority, OTHER_MINT)],
  ['USDC in transit', (w) => stray(w, w.yieldAuthority, USDC_MINT)],
  ['wrapped SOL of the vault', (w) => stray(w, w.vault, NATIVE_MINT)],
  [
    'collateral outside its own account',
    (w) => stray(w, w.yieldAuthority, COLLATERAL_MINT, ELSEWHERE),
  ],
  ['collateral of the vault', (w) => stray(w, w.vault, COLLATERAL_MINT)],
];

const emptied = edited('token_account', (data) => data.writeBigUInt64LE(0n, 64));

/** The program's own address stands for an omitted account. */
const noDestination: Mutator = (call) => ({
  ...call,
  accounts: call.accounts.map((meta) =>
    meta.name === 'owner_token_account' ? { ...meta, pubkey: PROGRAM_ID, isWritable: false } : meta,
  ),
});

const ownAccount: Mutator = (_call, world) =>
  sweepTokenAccount(world, { authority: world.vault, mint: USDC_MINT });

describe('sweep_token_account', () => {
  it.each(strays)('pays the owner %s and emits the event in both forms', (_what, choose) => {
    const world = fullWorld();
    const target = choose(world);
    const [vault, before] = [read(world, 'Vault', world.vault), held(world, target.mint)];
    const outcome = run(world, sweepTokenAccount(world, target));
    expect(outcome.logs[1]).toBe('Program log: Instruction: SweepTokenAccount');
    expect(held(world, target.mint)).toBe(before + 50n);
    expect(tokenBalance(world.svm, target.token_account)).toBe(0n);
    expect(read(world, 'Vault', world.vault)).toEqual(vault);
    expectEvent(outcome, 'TokenAccountSwept', eventOf(world, target, { amount: 50n }));
  });

  it.each(strays)('closes the account of %s and pays its rent to the owner', (_what, choose) => {
    const world = fullWorld();
    const target = choose(world);
    const before = lamports(world, world.owner.publicKey);
    const outcome = run(world, sweepTokenAccount(world, { ...target, close: true }));
    expect(getAccount(world.svm, target.token_account)).toBeNull();
    expect(held(world, target.mint)).toBe(50n);
    expect(lamports(world, world.owner.publicKey)).toBe(before + TOKEN_RENT);
    const swept = { amount: 50n, closed: true };
    expectEvent(outcome, 'TokenAccountSwept', eventOf(world, target, swept));
  });

  it.each([false, true])(
    'pays collateral in kind, so nothing is deployed (closing: %s)',
    (close) => {
      const world = fullWorld();
      const before = balances(world);
      const outcome = run(world, sweepTokenAccount(world, { close }));
      expect(balances(world)).toEqual({ ...before, collateral: 0n, deployed: 0n });
      expect(held(world, COLLATERAL_MINT)).toBe(99n);
      const target = {
        authority: world.yieldAuthority,
        mint: COLLATERAL_MINT,
        token_account: world.collateral,
      };
      const swept = { amount: 99n, closed: close, deployed_amount: 0n };
      expectEvent(outcome, 'TokenAccountSwept', eventOf(world, target, swept));
      const called = outcome.innerCalls.map(({ program }) => program);
      expect(called).not.toContain(RESERVE_PROGRAM_ID.toBase58());
    },
  );

  it('closes an empty account without an account of the owner', () => {
    const world = worldWithInterest();
    const target = stray(world, world.yieldAuthority, USDC_MINT);
    setTokenAccount(world.svm, world.yieldAuthority, 0n);
    const none = { owner_token_account: null, close: true };
    const outcome = run(world, sweepTokenAccount(world, { ...target, ...none }));
    expect(getAccount(world.svm, world.transit)).toBeNull();
    const swept = { amount: 0n, closed: true, owner_token_account: null };
    expectEvent(outcome, 'TokenAccountSwept', eventOf(world, target, swept));
  });

  it('closes an account whose mint is gone', () => {
    const world = worldWithInterest();
    const target = stray(world, world.vault, OTHER_MINT);
    setTokenAccount(world.svm, world.vault, 0n, {
      address: target.token_account,
      mint: OTHER_MINT,
    });
    setAccount(world.svm, OTHER_MINT, { data: Buffer.alloc(0), lamports: 0n });
    run(world, sweepTokenAccount(world, { ...target, owner_token_account: null, close: true }));
    expect(getAccount(world.svm, target.token_account)).toBeNull();
  });

  it('works while the vault is paused, and before yield was initialized', () => {
    const world = fullWorld();
    const target = stray(world, world.yieldAuthority, OTHER_MINT);
    const unready = edited('vault', (data) => data.writeUInt8(0, 13));
    run(world, both(paused, unready)(sweepTokenAccount(world, target), world));
    expect(held(world, OTHER_MINT)).toBe(50n);
  });

  it('pays any token account that belongs to the owner', () => {
    const world = fullWorld();
    const owner_token_account = keypair('a second account of the owner').publicKey;
    const mint = COLLATERAL_MINT;
    setTokenAccount(world.svm, world.owner.publicKey, 3n, { address: owner_token_account, mint });
    run(world, sweepTokenAccount(world, { owner_token_account }));
    expect(tokenBalance(world.svm, owner_token_account)).toBe(102n);
  });

  it.each([
    ['the account is frozen', 108, 2, 0x11],
    ['another may close the account', 129, 1, 0x4],
  ])('leaves the refusal to the token program when %s', (_what, offset, value, code) => {
    const world = fullWorld();
    const spoil = edited('token_account', (data) => data.writeUInt8(value, offset));
    const call = spoil(sweepTokenAccount(world, { close: true }), world);
    expectForeignError(attempt(world, call), TOKEN_PROGRAM_ID.toBase58(), code);
  });

  itRefuses(fullWorld, (w) => sweepTokenAccount(w), [
    ...refusalsOfOwnedVault,
    ...refusalsOfArguments,
    ...refusalsOfDeadline,
    ...faulty('owner', 'readonly'),
    ...faulty('vault', 'readonly'),
    ...swapped('authority', 'ConstraintSeeds', {
      'the owner': (w) => w.owner.publicKey,
      'a session': (w) => w.session,
      'the yield authority of another vault': (w) => strangersWorld(w).yieldAuthority,
    }),
    ...swapped(
      'authority',
      'ConstraintTokenOwner',
      { 'the vault': (w) => w.vault },
      'token_account',
    ),
    ...swapped('token_account', 'ConstraintAddress', {
      "the vault's own": (w) => w.vaultTokenAccount,
    }),
    ...failing(
      'ConstraintAddress',
      { "the vault's own account is named with all that belongs to it": ownAccount },
      'token_account',
    ),
    ...faulty('token_account', 'readonly', 'missing', 'dust', 'foreign', 'token2022', 'mintSized'),
    ...faulty('token_account', 'otherMint', 'handedOver'),
    ...swapped('token_account', 'ConstraintTokenMint', {
      'one of another mint': (w) => foreignTokenAccount(w, w.yieldAuthority),
    }),
    ...swapped('token_account', 'ConstraintTokenOwner', {
      'that of the owner': (w) => tokenAddress(w.owner.publicKey, COLLATERAL_MINT),
    }),
    ...faulty('owner_token_account', 'readonly', 'missing', 'foreign', 'token2022', 'mintSized'),
    ...faulty('owner_token_account', 'otherMint', 'handedOver'),
    ...swapped('owner_token_account', 'ConstraintTokenOwner', {
      'that of the yield authority': (w) => w.collateral,
    }),
    ...failing(
      'AccountNotInitialized',
      { 'there is a balance and no account for it': noDestination },
      'owner_token_account',
    ),
    ...failing(
      'ConstraintTokenOwner',
      {
        "an empty account is closed beside a stranger's": both(
          emptied,
          withArgs({ close: true }),
          edited('owner_token_account', (data, w) => w.recipient.toBuffer().copy(data, 32)),
        ),
      },
      'owner_token_account',
    ),
    ...failing('InvalidAmount', {
      'the account is empty and stays open': emptied,
      'the account is empty, stays open, and has no destination': both(emptied, noDestination),
    }),
    ...swapped(
      'mint',
      'ConstraintTokenMint',
      { another: (w) => w.stranger.publicKey },
      'token_account',
    ),
    ...faulty('mint', 'missing', 'foreign'),
    ...failing(
      'AccountDidNotDeserialize',
      { 'the mint is cut off before its decimals': after(cutMint) },
      'mint',
    ),
    ...another('InvalidProgramId', 'token_program'),
    ...swapped('token_program', 'InvalidProgramId', {
      'the wallet program': (w) => w.vault,
      'the reserve program': () => RESERVE_PROGRAM_ID,
    }),
    ...swapped(
      'token_program',
      'AccountOwnedByWrongProgram',
      { 'Token-2022 for an account of the Token program': () => TOKEN_2022_PROGRAM_ID },
      'token_account',
    ),
  ]);

  itChecksInOrder(fullWorld, (w) => sweepTokenAccount(w), [
    ['amount', emptied, 'InvalidAmount'],
    ...firstChecksOfGrant,
  ]);
});

function cutMint({ svm }: World): void {
  const data = getAccount(svm, COLLATERAL_MINT)?.data.subarray(0, 44);
  setAccount(svm, COLLATERAL_MINT, data === undefined ? {} : { data });
}

/** A token account with 50 base units, and an empty one of the owner for the same mint. */
function stray(
  { svm, owner }: World,
  authority: PublicKey,
  mint: PublicKey,
  token_account = tokenAddress(authority, mint),
): Pick<Sweep, 'authority' | 'mint' | 'token_account'> {
  if (getAccount(svm, mint) === null) setMint(svm, mint);
  setTokenAccount(svm, authority, 50n, { address: token_account, mint });
  setTokenAccount(svm, owner.publicKey, 0n, { address: tokenAddress(owner.publicKey, mint), mint });
  if (mint.equals(NATIVE_MINT)) wrap(svm, token_account, tokenAddress(owner.publicKey, mint));
  return { authority, mint, token_account };
}

/** Makes token accounts of the native mint: each base unit is one of the account's lamports. */
function wrap(svm: LiteSVM, ...addresses: readonly PublicKey[]): void {
  for (const address of addresses) {
    editData(svm, address, (data) => {
      data.writeUInt32LE(1, 109);
      data.writeBigUInt64LE(TOKEN_RENT, 113);
    });
    setAccount(svm, address, { lamports: TOKEN_RENT + tokenBalance(svm, address) });
  }
}

function held({ svm, owner }: World, mint: PublicKey): bigint {
  return tokenBalance(svm, tokenAddress(owner.publicKey, mint));
}

function lamports({ svm }: World, address: PublicKey): bigint {
  return getAccount(svm, address)?.lamports ?? 0n;
}

/** The event of a sweep to the owner's associated account that leaves 99 deployed. */
function eventOf(
  world: World,
  { mint, token_account }: Pick<Sweep, 'mint' | 'token_account'>,
  swept: Record<string, unknown>,
): Record<string, unknown> {
  return {
    vault: world.vault.toBase58(),
    owner: world.owner.publicKey.toBase58(),
    token_account: token_account.toBase58(),
    mint: mint.toBase58(),
    owner_token_account: tokenAddress(world.owner.publicKey, mint).toBase58(),
    closed: false,
    deployed_amount: 99n,
    ...swept,
  };
}
