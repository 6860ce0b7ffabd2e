import { createAssociatedTokenAccountInstruction } from '@solana/spl-token';
import type { Keypair, PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, type Call, run } from '../support/call.ts';
import {
  closeVault,
  initYield,
  ownerWithdraw,
  redeemByOwner,
  revokeSession,
  setMaxDeployedFraction,
  setPaused,
  type Sweep,
  sweepLamports,
  sweepTokenAccount,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import { removed, signedBy } from '../support/mutators.ts';
import {
  type AccountState,
  getAccount,
  passSlots,
  setAccount,
  setMint,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
  U64_MAX,
  USDC_MINT,
} from '../support/chain.ts';
import { fullWorld, makeReceiver } from '../support/every-instruction.ts';
import { expectError } from '../support/expect.ts';
import { addRelay, RELAY_ID, upgradeReserve } from '../support/hostile.ts';
import { reserveAccounts } from '../support/reserve.ts';
import { VAULT_BALANCE, type World, worldWithReserve } from '../support/world.ts';
import { balances } from '../support/yield-world.ts';

const COLLATERAL_MINT = reserveAccounts.reserve_collateral_mint;
/** Base units that a stranger leaves where they lie in the way. */
const DUST = 3n;

/** A token account of the vault for a foreign mint. */
type Foreign = Pick<Sweep, 'authority' | 'mint' | 'token_account'>;

/** Every way out, as the owner uses it. */
const exits: readonly (readonly [string, (world: World) => Call])[] = [
  ['collateral', (w) => sweepTokenAccount(w)],
  ['collateral and its account', (w) => sweepTokenAccount(w, { close: true })],
  ['lamports', sweepLamports],
  ['a redemption', (w) => redeemByOwner(w, 99n)],
];

describe('a way out for the owner', () => {
  const others: readonly (readonly [string, (world: World) => Keypair])[] = [
    ['the session key', (w) => w.sessionKey],
    ['a stranger', (w) => w.stranger],
    ['the fee payer', (w) => w.payer],
  ];
  const cases = exits.flatMap(([what, make]) =>
    others.map(([who, choose]) => ({ what, make, who, choose })),
  );
  it.each(cases)('of $what is closed to $who', ({ make, choose }) => {
    const world = fullWorld();
    const before = stateOf(world);
    const valid = make(world);
    const name = valid.name === 'yield_withdraw' ? 'authority' : 'owner';
    const call = signedBy(name, choose)(valid, world);
    expectError(attempt(world, call), 'ConstraintHasOne', 'vault');
    expect(stateOf(world)).toEqual(before);
    run(world, valid);
  });
});

describe("the vault's own USDC account", () => {
  it.each([
    ['to the owner', {}],
    ['to close it', { close: true }],
    ['to close it without a destination', { close: true, owner_token_account: null }],
  ])('is not swept, neither full nor empty: %s', (_what, sweep) => {
    const world = fullWorld();
    for (const balance of [VAULT_BALANCE, 0n]) {
      setTokenAccount(world.svm, world.vault, balance);
      for (const authority of [world.vault, world.yieldAuthority]) {
        const token_account = world.vaultTokenAccount;
        const own = { authority, mint: USDC_MINT, token_account, ...sweep };
        const outcome = attempt(world, sweepTokenAccount(world, own));
        expectError(outcome, 'ConstraintAddress', 'token_account');
      }
    }
  });
});

describe('a program that claims to be a token program', () => {
  it("does not receive the vault's signature", () => {
    const world = fullWorld();
    addRelay(world.svm);
    const { svm, owner, vault } = world;
    const mint = world.stranger.publicKey;
    for (const wallet of [vault, owner.publicKey]) {
      const address = tokenAddress(wallet, mint);
      setTokenAccount(svm, wallet, 5n, { address, mint });
      setAccount(svm, address, { owner: RELAY_ID });
    }
    const forged = { authority: vault, mint, token_program: RELAY_ID };
    for (const close of [false, true]) {
      const outcome = attempt(world, sweepTokenAccount(world, { ...forged, close }));
      expectError(outcome, 'InvalidProgramId', 'token_program');
      expect(outcome.innerCalls).toEqual([]);
    }
  });
});

describe('a reserve that no longer pays', () => {
  const failures: readonly (readonly [string, (world: World) => void])[] = [
    ['was replaced by a program that does nothing', (w) => upgradeReserve(w.svm, [])],
    ['lost its account', (w) => void removed('reserve')(redeemByOwner(w, 1n), w)],
  ];
  it.each(failures)('and %s keeps no collateral, also while paused', (_what, fail) => {
    const world = fullWorld();
    run(world, setPaused(world, true));
    fail(world);
    expect(attempt(world, redeemByOwner(world, 99n)).failed).toBe(true);
    const before = balances(world);
    run(world, sweepTokenAccount(world));
    expect(balances(world)).toEqual({ ...before, collateral: 0n, deployed: 0n });
    expect(heldByOwner(world)).toBe(99n);
  });
});

describe('a session after a sweep of the collateral', () => {
  it('deploys no more than the fraction of what is left', () => {
    const world = worldWithReserve();
    makeReceiver(world);
    const half = VAULT_BALANCE / 2n;
    run(world, setMaxDeployedFraction(world, 5_000), yieldDeposit(world, { amount: half }));
    run(world, sweepTokenAccount(world));
    const tooMuch = yieldDeposit(world, { amount: half / 2n + 1n, spend_seq: 2n });
    expectError(attempt(world, tooMuch), 'DeployedFractionExceeded');
    run(world, yieldDeposit(world, { amount: half / 2n, spend_seq: 2n }));
    expect(balances(world)).toMatchObject({ deployed: half / 2n, vault: half - half / 2n });
  });

  it('withdraws nothing', () => {
    const world = fullWorld();
    run(world, sweepTokenAccount(world));
    const all = yieldWithdraw(world, { amount: 99n, spend_seq: 3n });
    expectError(attempt(world, all), 'WithdrawExceedsDeployed');
  });

  it.each([
    ['transit', USDC_MINT],
    ['collateral', COLLATERAL_MINT],
  ] as const)('has no yield without the %s account until it exists again', (name, mint) => {
    const world = fullWorld();
    run(world, sweepTokenAccount(world, { mint, close: true }));
    const deposit = yieldDeposit(world, { amount: 10n, spend_seq: 3n });
    expectError(attempt(world, deposit), 'AccountNotInitialized', `${name}_token_account`);
    run(world, initYield(world));
    run(world, deposit);
  });

  it('counts only what it deploys in the same transaction, in an account made anew by a stranger', () => {
    const world = fullWorld();
    const { payer, collateral, yieldAuthority } = world;
    const anew = [payer.publicKey, collateral, yieldAuthority, COLLATERAL_MINT] as const;
    const { vault } = balances(world);
    run(
      world,
      sweepTokenAccount(world, { close: true }),
      createAssociatedTokenAccountInstruction(...anew),
      yieldDeposit(world, { amount: 10n, spend_seq: 3n }),
    );
    expect(balances(world)).toMatchObject({ vault: vault - 9n, collateral: 6n, deployed: 9n });
  });
});

describe('an account in two places of a sweep', () => {
  it('as source and destination is refused', () => {
    const world = fullWorld();
    const { collateral } = world;
    const same = sweepTokenAccount(world, { owner_token_account: collateral });
    expectError(attempt(world, same), 'ConstraintTokenOwner', 'owner_token_account');
  });
});

describe('an owner who leaves', () => {
  it.each([
    ['through the reserve', true, [VAULT_BALANCE - 99n + 148n + DUST, 0n, DUST]],
    ['without the reserve', false, [VAULT_BALANCE - 99n + DUST, 99n, DUST]],
  ] as const)('takes out everything in one transaction: %s', (_how, redeems, taken) => {
    const world = fullWorld();
    const { svm, owner } = world;
    const receiver = owner.publicKey;
    const foreign = withDust(world);
    const addresses = [...accountsOf(world), foreign.token_account];
    const lamports = lamportsOf(world, [...addresses, receiver]);
    passSlots(svm, 1n);
    run(
      world,
      setPaused(world, true),
      revokeSession(world),
      ...(redeems ? [redeemByOwner(world, 99n)] : [sweepTokenAccount(world)]),
      sweepTokenAccount(world, { mint: USDC_MINT, close: true }),
      sweepTokenAccount(world, { owner_token_account: null, close: true }),
      sweepTokenAccount(world, { ...foreign, close: true }),
      ownerWithdraw(world, U64_MAX),
      sweepLamports(world),
      closeVault(world),
    );
    expect(addresses.filter((address) => getAccount(svm, address) !== null)).toEqual([]);
    expect(lamportsOf(world, [receiver])).toBe(lamports);
    const mints = [USDC_MINT, COLLATERAL_MINT, foreign.mint];
    const held = mints.map((mint) => tokenBalance(svm, tokenAddress(receiver, mint)));
    expect(held).toEqual(taken);
  });
});

/** A stranger leaves base units in transit and at an account of the vault for a foreign mint. */
function withDust({ svm, owner, vault, stranger, yieldAuthority }: World): Foreign {
  const mint = stranger.publicKey;
  setMint(svm, mint);
  const [token_account, receiver] = [
    tokenAddress(vault, mint),
    tokenAddress(owner.publicKey, mint),
  ];
  setTokenAccount(svm, vault, DUST, { address: token_account, mint });
  setTokenAccount(svm, owner.publicKey, 0n, { address: receiver, mint });
  setTokenAccount(svm, yieldAuthority, DUST);
  return { authority: vault, mint, token_account };
}

function lamportsOf({ svm }: World, addresses: readonly PublicKey[]): bigint {
  return addresses.reduce((sum, one) => sum + (getAccount(svm, one)?.lamports ?? 0n), 0n);
}

/** Addresses of all accounts of the wallet. */
function accountsOf(world: World): readonly PublicKey[] {
  const { vault, session, vaultTokenAccount, transit, collateral, yieldAuthority } = world;
  return [vault, session, vaultTokenAccount, transit, collateral, yieldAuthority];
}

function heldByOwner({ svm, owner }: World): bigint {
  return tokenBalance(svm, tokenAddress(owner.publicKey, COLLATERAL_MINT));
}

function stateOf(world: World): readonly (AccountState | null)[] {
  return accountsOf(world).map((address) => getAccount(world.svm, address));
}
