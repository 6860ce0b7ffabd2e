import { describe, expect, it } from 'vitest';
import {
  addSession,
  migrateVault,
  revokeSession,
  setPaused,
  transferUsdc,
} from '../support/calls.ts';
import { after } from '../support/mutators.ts';
import { attempt, run } from '../support/call.ts';
import { getAccount, keypair, setAccount } from '../support/chain.ts';
import { everyInstruction } from '../support/every-instruction.ts';
import { expectError, expectEvent, itRefuses } from '../support/expect.ts';
import { another, failing, faulty } from '../support/faults.ts';
import { refusalsOfOwnedVault } from '../support/refusals.ts';
import { rentOf, vaultData, withVersion1, worldOfVersion1 } from '../support/version-1.ts';
import { paid, read, sessionAddress, type World, worldWithVault } from '../support/world.ts';

const ofSession0 = { session_index: 0n };

describe('migrate_vault', () => {
  it('appends the number of sessions and emits the event in the log and as a self-call', () => {
    const world = worldOfVersion1();
    run(world, setPaused(world, true));
    const before = vaultData(world);
    const outcome = run(world, migrateVault(world));
    expect(outcome.logs[1]).toBe('Program log: Instruction: MigrateVault');
    const data = vaultData(world);
    expect([data.length, data.readUInt8(8)]).toEqual([104, 2]);
    expect(data.subarray(9, 96)).toEqual(before.subarray(9));
    expect(data.readBigUInt64LE(96)).toBe(1n);
    expectEvent(outcome, 'VaultMigrated', { vault: world.vault.toBase58(), version: 2 });
  });

  it.each([
    ['exactly the missing rent', 0n, (w: World) => rentOf(w, 104) - rentOf(w, 96)],
    ['nothing when the vault has enough', 1_000_000n, () => 0n],
    ['the rest when the vault has a part', 1n, (w: World) => rentOf(w, 104) - rentOf(w, 96) - 1n],
  ])('lets the owner pay %s', (_name, gift, expected) => {
    const world = worldOfVersion1();
    setAccount(world.svm, world.vault, { lamports: rentOf(world, 96) + gift });
    const before = lamportsOfOwner(world);
    run(world, migrateVault(world));
    expect(before - lamportsOfOwner(world)).toBe(expected(world));
  });

  it('leaves sessions spending before, in the same chain transaction, and after', () => {
    const world = worldOfVersion1();
    const spend = (spend_seq: bigint) => transferUsdc(world, { ...ofSession0, spend_seq });
    run(world, spend(1n));
    run(world, spend(2n), migrateVault(world), spend(3n));
    run(world, spend(4n));
    expect(paid(world)).toBe(40n);
    expect(read(world, 'Session', world.session)).toMatchObject({
      version: 1,
      index: 0n,
      daily_spent: 40n,
      highest_seq: 4n,
    });
    for (const seq of [1n, 2n, 3n, 4n])
      expectError(attempt(world, spend(seq)), 'SpendAlreadyExecuted');
    const beyondCap = transferUsdc(world, { ...ofSession0, amount: 60n, spend_seq: 5n });
    run(world, beyondCap);
    expectError(attempt(world, spend(6n)), 'DailyCapExceeded');
  });

  it('keeps numbering and counting sessions from where version 1 was', () => {
    const world = worldOfVersion1();
    const later = withKey(world, 'a session of version 1');
    run(later, addSession(later));
    expect(vaultData(world).length).toBe(96);
    run(world, migrateVault(world));
    const last = withKey(world, 'a session of version 2');
    run(last, addSession(last));
    expect(read(last, 'Session', last.session)['index']).toBe(2n);
    expect(read(world, 'Vault', world.vault)).toMatchObject({
      next_session_index: 3n,
      open_sessions: 3n,
    });
    for (const one of [world, later, last]) run(one, revokeSession(one));
    expect(read(world, 'Vault', world.vault)['open_sessions']).toBe(0n);
  });

  it('counts a session that version 1 revoked as open for ever', () => {
    const world = worldOfVersion1();
    run(world, revokeSession(world));
    run(world, migrateVault(world));
    expect(read(world, 'Vault', world.vault)['open_sessions']).toBe(1n);
  });

  itRefuses(() => withVersion1(worldWithVault()), migrateVault, [
    ...refusalsOfOwnedVault,
    ...faulty('owner', 'readonly'),
    ...faulty('vault', 'readonly'),
    ...another('InvalidProgramId', 'system_program'),
    ...failing('NothingToMigrate', {
      'the vault was migrated before': after((w) => run(w, migrateVault(w))),
    }),
  ]);

  itRefuses(worldWithVault, migrateVault, [
    ...failing('NothingToMigrate', { 'the vault is new': (call) => call }),
  ]);
});

describe('a vault of version 1', () => {
  const usable = everyInstruction.filter(
    ([name]) => !['init_vault', 'migrate_vault', 'close_vault'].includes(name),
  );
  it.each(usable)('is accepted by %s and keeps its layout', (_name, makeCall, makeWorld) => {
    const world = withVersion1(makeWorld());
    run(world, makeCall(world));
    const data = vaultData(world);
    expect([data.length, data.readUInt8(8)]).toEqual([96, 1]);
  });
});

function withKey(world: World, label: string): World {
  const sessionKey = keypair(label);
  return { ...world, sessionKey, session: sessionAddress(world.vault, sessionKey.publicKey) };
}

function lamportsOfOwner({ svm, owner }: World): bigint {
  return getAccount(svm, owner.publicKey)?.lamports ?? 0n;
}
