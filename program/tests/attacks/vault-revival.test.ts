import { SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  addSession,
  closeVault,
  initVault,
  migrateVault,
  ownerWithdraw,
  revokeSession,
  setPaused,
  transferUsdc,
  updateSessionAllowlist,
  updateSessionLimits,
} from '../support/calls.ts';
import { attempt, type Call, run } from '../support/call.ts';
import {
  FIRST_INDEX,
  getAccount,
  passSlots,
  setAccount,
  setTokenAccount,
  U64_MAX,
} from '../support/chain.ts';
import { expectError } from '../support/expect.ts';
import { withVersion1, worldOfVersion1 } from '../support/version-1.ts';
import {
  paid,
  read,
  VAULT_BALANCE,
  type World,
  worldWithEmptyVault,
  worldWithSession,
} from '../support/world.ts';

const INDEXES_PER_SLOT = 65_536n;

describe('a vault closed and re-created', () => {
  it('in one chain transaction begins anew, with indexes above all earlier ones', () => {
    const world = worldWithEmptyVault();
    run(world, addSession(world));
    run(world, revokeSession(world), setPaused(world, true));
    run(world, closeVault(world), initVault(world, 7));
    expect(read(world, 'Vault', world.vault)).toMatchObject({
      version: 2,
      max_deployed_fraction_bp: 7,
      paused: false,
      yield_bump: 0,
      deployed_amount: 0n,
      next_session_index: FIRST_INDEX + INDEXES_PER_SLOT,
      open_sessions: 0n,
    });
  });

  it('twice in one slot is refused, because the indexes would come again', () => {
    const world = worldWithEmptyVault();
    run(world, closeVault(world), initVault(world));
    expectError(attempt(world, closeVault(world)), 'VaultTooNew');
    const next_session_index = FIRST_INDEX + 2n * INDEXES_PER_SLOT;
    const close = { ...closeVault(world), args: { next_session_index } };
    const again = [initVault(world), close, initVault(world)];
    passSlots(world.svm, 1n);
    expectError(attempt(world, closeVault(world), ...again), 'VaultTooNew');
    run(world, closeVault(world), initVault(world));
  });

  it('has indexes above those of a vault that used up the indexes of its slot', () => {
    const world = worldWithEmptyVault();
    passSlots(world.svm, 1n);
    const last = FIRST_INDEX + 2n * INDEXES_PER_SLOT - 1n;
    setNextIndex(world, last);
    run(world, addSession(world));
    run(world, revokeSession(world));
    expectError(attempt(world, closeVault(world)), 'VaultTooNew');
    passSlots(world.svm, 1n);
    run(world, closeVault(world), initVault(world));
    const { next_session_index } = read(world, 'Vault', world.vault);
    expect(next_session_index).toBe(last + 1n + INDEXES_PER_SLOT);
  });

  it('is only recreated by its owner, whom later lamports do not replace', () => {
    const world = worldWithEmptyVault();
    const refund = SystemProgram.transfer({
      fromPubkey: world.payer.publicKey,
      toPubkey: world.vault,
      lamports: 5_000_000,
    });
    run(world, closeVault(world), refund);
    expect(getAccount(world.svm, world.vault)?.data.length).toBe(0);
    for (const call of [closeVault(world), ownerWithdraw(world), setPaused(world, false)])
      expectError(attempt(world, call), 'AccountNotInitialized', 'vault');
    run(world, initVault(world));
    expect(read(world, 'Vault', world.vault)['owner']).toBe(world.owner.publicKey.toBase58());
  });
});

describe('what was signed for a closed vault', () => {
  const spends = [1n, 2n, 300n];

  it('creates no session in the next one', () => {
    const world = worldWithEmptyVault();
    const signed = [addSession(world), addSession(world, { daily_cap: U64_MAX })];
    run(world, closeVault(world), initVault(world));
    for (const call of signed) expectError(attempt(world, call), 'SessionIndexMismatch');
    expect(getAccount(world.svm, world.session)).toBeNull();
  });

  it('neither spends nor changes anything in the next one, which has no session', () => {
    const { world, signed } = reopened();
    for (const call of signed)
      expectError(attempt(world, call), 'AccountNotInitialized', 'session');
  });

  it('neither spends nor changes a session of the same key in the next one', () => {
    const { world, signed } = reopened();
    run(world, addSession(world));
    const before = read(world, 'Session', world.session);
    for (const call of signed) expectError(attempt(world, call), 'SessionMismatch');
    expect(read(world, 'Session', world.session)).toEqual(before);
    expect(paid(world)).toBe(10n);
  });

  it('creates no second vault beside the next one, and only an empty one without it', () => {
    const world = worldWithEmptyVault();
    const signed = initVault(world, 10_000);
    run(world, closeVault(world), initVault(world, 5));
    expectError(attempt(world, signed), 'AccountNotSystemOwned', 'vault');
    passSlots(world.svm, 1n);
    run(world, closeVault(world), signed);
    const { next_session_index, open_sessions } = read(world, 'Vault', world.vault);
    expect([next_session_index, open_sessions]).toEqual([FIRST_INDEX + 2n * INDEXES_PER_SLOT, 0n]);
  });

  /** A vault with money whose predecessor had a session, and what was signed for that one. */
  function reopened(): { readonly world: World; readonly signed: readonly Call[] } {
    const world = worldWithSession();
    setTokenAccount(world.svm, world.owner.publicKey, 0n);
    run(world, transferUsdc(world, { spend_seq: 1n }));
    passSlots(world.svm, 1n);
    const signed = [
      ...spends.map((spend_seq) => transferUsdc(world, { spend_seq })),
      updateSessionLimits(world, { daily_cap: U64_MAX }),
      updateSessionAllowlist(world, [world.stranger.publicKey]),
      revokeSession(world),
    ];
    run(world, revokeSession(world), ownerWithdraw(world, U64_MAX));
    run(world, closeVault(world), initVault(world));
    setTokenAccount(world.svm, world.vault, VAULT_BALANCE);
    return { world, signed };
  }
});

describe('a vault that is not finished', () => {
  it('is not closed over an open session, whose key would spend from the next one', () => {
    const world = worldWithEmptyVault();
    run(world, addSession(world));
    passSlots(world.svm, 1n);
    expectError(attempt(world, closeVault(world)), 'SessionsOpen');
    expectError(attempt(world, closeVault(world), initVault(world)), 'SessionsOpen');
    run(world, revokeSession(world), closeVault(world));
  });

  it('is not closed in a chain transaction that opens a session before', () => {
    const world = worldWithEmptyVault();
    const close = closeVault(world);
    expectError(attempt(world, addSession(world), close), 'SessionIndexMismatch');
    const named = { ...close, args: { next_session_index: FIRST_INDEX + 1n } };
    expectError(attempt(world, addSession(world), named), 'SessionsOpen');
  });

  it('of version 1 is not closed over an open session, migrated or not', () => {
    const world = worldOfVersion1();
    setTokenAccount(world.svm, world.vault, 0n);
    expectError(attempt(world, closeVault(world)), 'SessionsOpen');
    run(world, migrateVault(world));
    expectError(attempt(world, closeVault(world)), 'SessionsOpen');
    run(world, revokeSession(world), closeVault(world));
    expect(getAccount(world.svm, world.vault)).toBeNull();
  });

  it('of version 1 is not closed once a session was revoked, which nothing there counts', () => {
    const world = worldOfVersion1();
    setTokenAccount(world.svm, world.vault, 0n);
    run(world, revokeSession(world));
    expectError(attempt(world, closeVault(world)), 'SessionsOpen');
    run(world, migrateVault(world));
    expectError(attempt(world, closeVault(world)), 'SessionsOpen');
  });
});

describe('a vault with an old layout', () => {
  it('is not migrated twice, to count its sessions anew', () => {
    const world = withVersion1(worldWithEmptyVault());
    expectError(attempt(world, migrateVault(world), migrateVault(world)), 'NothingToMigrate');
    run(world, migrateVault(world));
    expectError(attempt(world, migrateVault(world)), 'NothingToMigrate');
  });
});

function setNextIndex(world: World, index: bigint): void {
  const { data = Buffer.alloc(0) } = getAccount(world.svm, world.vault) ?? {};
  data.writeBigUInt64LE(index, 24);
  setAccount(world.svm, world.vault, { data });
}
