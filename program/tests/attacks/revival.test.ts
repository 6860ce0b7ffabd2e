import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  addSession,
  initVault,
  initYield,
  revokeSession,
  setMaxDeployedFraction,
  setPaused,
  transferUsdc,
  updateSessionLimits,
  yieldDeposit,
} from '../support/calls.ts';
import { attempt, run } from '../support/call.ts';
import { replaced, signedBy } from '../support/mutators.ts';
import {
  FIRST_INDEX,
  getAccount,
  keypair,
  PROGRAM_ID,
  setAccount,
  tokenAddress,
  tokenBalance,
} from '../support/chain.ts';
import { expectError } from '../support/expect.ts';
import {
  read,
  VAULT_BALANCE,
  vaultAddress,
  type World,
  worldWithReserve,
  worldWithSession,
  worldWithVault,
} from '../support/world.ts';

const RENT = 5_735_040;

describe('a revoked session', () => {
  const refunds: readonly (readonly [string, number])[] = [
    ['dust', 1],
    ['its rent', RENT],
    ['much more', 100_000_000],
  ];

  it.each(refunds)('is not revived by %s in the same chain transaction', (_name, amount) => {
    const world = worldWithSession();
    const outcome = attempt(
      world,
      revokeSession(world),
      refund(world, amount),
      transferUsdc(world),
    );
    expectError(outcome, 'AccountNotInitialized', 'session');
    // All or nothing: the revocation is undone with the rest.
    expect(read(world, 'Session', world.session)).toMatchObject({ index: FIRST_INDEX });
  });

  it.each(refunds.slice(1))('is not revived by %s later', (_name, amount) => {
    const world = worldWithSession();
    run(world, revokeSession(world));
    run(world, refund(world, amount));
    for (const call of [transferUsdc(world), updateSessionLimits(world), revokeSession(world)])
      expectError(attempt(world, call), 'AccountNotInitialized', 'session');
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(VAULT_BALANCE);
  });

  it('is not revived by a refund and its old bytes under another program', () => {
    const world = worldWithSession();
    const old = getAccount(world.svm, world.session);
    run(world, revokeSession(world), refund(world, RENT));
    const { data, owner } = getAccount(world.svm, world.session) ?? {};
    expect([data?.length, owner]).toEqual([0, SystemProgram.programId]);
    // Only this program could write them back under its own ownership.
    setAccount(world.svm, world.session, {
      data: old?.data ?? Buffer.alloc(0),
      owner: world.stranger.publicKey,
    });
    expectError(attempt(world, transferUsdc(world)), 'AccountOwnedByWrongProgram', 'session');
  });

  it('cannot be revoked twice', () => {
    const world = worldWithSession();
    const outcome = attempt(world, revokeSession(world), revokeSession(world));
    expectError(outcome, 'AccountNotInitialized', 'session');
  });

  it('allows a spend earlier in the same chain transaction and none later', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { spend_seq: 1n }), revokeSession(world));
    const late = transferUsdc(world, { spend_seq: 2n });
    expectError(attempt(world, late), 'AccountNotInitialized', 'session');
  });

  it('returns its rent to the owner only, at any fee payer', () => {
    const world = worldWithSession();
    const before = lamportsOf(world, world.owner.publicKey);
    const others = [world.stranger.publicKey, world.vault, world.sessionKey.publicKey];
    const othersBefore = others.map((one) => lamportsOf(world, one));
    run(world, revokeSession(world));
    expect(lamportsOf(world, world.owner.publicKey)).toBeGreaterThan(before);
    expect(others.map((one) => lamportsOf(world, one))).toEqual(othersBefore);
  });
});

describe('a session re-created for the same key', () => {
  it('keeps no spends, limits or recipients of the old one', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 60n }));
    const anew = { max_per_tx: 5n, daily_cap: 7n, recipients: [world.stranger.publicKey] };
    run(world, revokeSession(world), addSession(world, anew));
    expect(read(world, 'Session', world.session)).toMatchObject({
      index: FIRST_INDEX + 1n,
      max_per_tx: 5n,
      daily_cap: 7n,
      recipients_count: 1,
      daily_spent: 0n,
      last_seen: 0n,
      highest_seq: 0n,
      bitmap: [0n, 0n, 0n, 0n],
    });
    const toOld = transferUsdc(world, { amount: 1n, session_index: FIRST_INDEX + 1n });
    expectError(attempt(world, toOld), 'RecipientNotAllowed');
  });

  it('has a cap of its own, which the owner signed', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 60n, spend_seq: 1n }));
    run(world, transferUsdc(world, { amount: 40n, spend_seq: 2n }));
    run(world, revokeSession(world), addSession(world));
    const again = { spend_seq: 1n, session_index: FIRST_INDEX + 1n };
    run(world, transferUsdc(world, { ...again, amount: 60n }));
    const tooMuch = transferUsdc(world, {
      spend_seq: 2n,
      session_index: FIRST_INDEX + 1n,
      amount: 41n,
    });
    expectError(attempt(world, tooMuch), 'DailyCapExceeded');
  });

  it("needs the owner's signature, so a session key cannot renew its cap", () => {
    const world = worldWithSession();
    const bySession = signedBy('owner', (w) => w.sessionKey);
    for (const call of [revokeSession(world), addSession(world)])
      expectError(attempt(world, bySession(call, world)), 'ConstraintHasOne', 'vault');
  });

  it('never gets the same index twice', () => {
    const world = worldWithVault();
    const indexes = Array.from({ length: 12 }, () => {
      run(world, addSession(world));
      const { index } = read(world, 'Session', world.session);
      run(world, revokeSession(world));
      return index;
    });
    expect(new Set(indexes).size).toBe(12);
  });
});

describe('an account that exists already', () => {
  it.each([0, 10_000])('is not created again: a vault, with %i basis points', (bp) => {
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { amount: 50n }), setPaused(world, true));
    const before = read(world, 'Vault', world.vault);
    expectError(attempt(world, initVault(world, bp)), 'AccountNotSystemOwned', 'vault');
    expect(read(world, 'Vault', world.vault)).toEqual(before);
  });

  it('is not created again: a session, at any limits', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 60n }));
    const before = read(world, 'Session', world.session);
    const higher = addSession(world, { daily_cap: 10n ** 12n, max_per_tx: 10n ** 12n });
    expectError(attempt(world, higher), 'AccountNotSystemOwned', 'session');
    expect(read(world, 'Session', world.session)).toEqual(before);
  });

  it('keeps the deployed amount when init_yield runs again', () => {
    const world = worldWithReserve();
    run(world, yieldDeposit(world, { amount: 50n }), setMaxDeployedFraction(world, 0));
    const before = read(world, 'Vault', world.vault);
    run(world, initYield(world));
    expect(read(world, 'Vault', world.vault)).toEqual(before);
  });
});

describe('a program address of another bump', () => {
  it.each([1, 2, 3])('is no vault (%i)', (place) => {
    const world = worldWithVault();
    const other = otherBump([Buffer.from('vault'), world.stranger.publicKey.toBuffer()], place);
    const call = initVault({ ...world, owner: world.stranger, vault: other });
    expectError(attempt(world, call), 'ConstraintSeeds', 'vault');
  });

  it.each([1, 2, 3])('is no session (%i)', (place) => {
    const world = worldWithVault();
    const { publicKey } = world.sessionKey;
    const seeds = [Buffer.from('session'), world.vault.toBuffer(), publicKey.toBuffer()];
    const call = replaced('session', () => otherBump(seeds, place))(addSession(world), world);
    expectError(attempt(world, call), 'ConstraintSeeds', 'session');
  });

  it.each([1, 2, 3])('is no yield authority (%i)', (place) => {
    const world = worldWithReserve();
    const seeds = [Buffer.from('yield'), world.vault.toBuffer()];
    const choose = () => otherBump(seeds, place);
    for (const call of [initYield(world), yieldDeposit(world)]) {
      const spoiled = replaced('yield_authority', choose)(call, world);
      expectError(attempt(world, spoiled), 'ConstraintSeeds', 'yield_authority');
    }
  });
});

describe('an address that a third party used before', () => {
  it('becomes the vault of its owner only, after lamports from a stranger', () => {
    const world = worldWithVault();
    const owner = keypair('a later owner');
    setAccount(world.svm, owner.publicKey, { lamports: 1_000_000_000n });
    const vault = vaultAddress(owner.publicKey);
    const later = { ...world, owner, vault, vaultTokenAccount: tokenAddress(vault) };
    run(world, transferLamports(world, later.vault, 2_000_000));
    run(later, initVault(later));
    expect(read(later, 'Vault', later.vault)['owner']).toBe(owner.publicKey.toBase58());
  });

  it.each([
    ['this program', PROGRAM_ID],
    ['the token program', TOKEN_PROGRAM_ID],
  ])('is no new session while it holds data of %s', (_name, owner) => {
    const world = worldWithVault();
    setAccount(world.svm, world.session, { owner, data: Buffer.alloc(696) });
    expectError(attempt(world, addSession(world)), 'AccountNotSystemOwned', 'session');
  });

  it('is no new session while it is a system account with data', () => {
    const world = worldWithVault();
    setAccount(world.svm, world.session, { data: Buffer.alloc(1) });
    expectError(attempt(world, addSession(world)), 'AccountNotSystemOwned', 'session');
  });
});

function refund(world: World, amount: number): TransactionInstruction {
  return transferLamports(world, world.session, amount);
}

function transferLamports(world: World, toPubkey: PublicKey, amount: number) {
  return SystemProgram.transfer({ fromPubkey: world.payer.publicKey, toPubkey, lamports: amount });
}

function lamportsOf({ svm }: World, address: PublicKey): bigint {
  return getAccount(svm, address)?.lamports ?? 0n;
}

/** An address of the same seeds at a bump below the canonical one. */
function otherBump(seeds: Buffer[], place: number): PublicKey {
  const valid: PublicKey[] = [];
  for (let bump = 255; bump > 0 && valid.length <= place; bump -= 1) {
    try {
      valid.push(PublicKey.createProgramAddressSync([...seeds, Buffer.of(bump)], PROGRAM_ID));
    } catch {
      // On the curve, so not a program address.
    }
  }
  return valid[place] ?? PublicKey.default;
}
