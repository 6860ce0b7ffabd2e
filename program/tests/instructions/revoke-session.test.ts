import { SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { revokeSession, setPaused } from '../support/calls.ts';
import { run } from '../support/call.ts';
import { FIRST_INDEX, getAccount, setAccount } from '../support/chain.ts';
import { expectEvent, itRefuses } from '../support/expect.ts';
import { faulty } from '../support/faults.ts';
import { refusalsOfArguments, refusalsOfOwnedSession } from '../support/refusals.ts';
import { read, type World, worldWithSession } from '../support/world.ts';

describe('revoke_session', () => {
  it('closes the session, returns its rent and emits the event in the log and as a self-call', () => {
    const world = worldWithSession();
    const rent = world.svm.minimumBalanceForRentExemption(696n);
    const before = lamports(world);
    const outcome = run(world, revokeSession(world));
    expect(outcome.logs[1]).toBe('Program log: Instruction: RevokeSession');
    expect(lamports(world)).toBe(before + rent);
    expect(getAccount(world.svm, world.session)).toBeNull();
    expectEvent(outcome, 'SessionRevoked', {
      vault: world.vault.toBase58(),
      session: world.session.toBase58(),
      session_pubkey: world.sessionKey.publicKey.toBase58(),
      index: FIRST_INDEX,
    });
  });

  it('counts the session as closed', () => {
    const world = worldWithSession();
    expect(read(world, 'Vault', world.vault)['open_sessions']).toBe(1n);
    run(world, revokeSession(world));
    expect(read(world, 'Vault', world.vault)['open_sessions']).toBe(0n);
  });

  it('returns lamports that a third party sent to the session', () => {
    const world = worldWithSession();
    setAccount(world.svm, world.session, { lamports: 500_000_000n });
    const before = lamports(world);
    run(world, revokeSession(world));
    expect(lamports(world)).toBe(before + 500_000_000n);
  });

  it('leaves a plain address that later lamports do not revive', () => {
    const world = worldWithSession();
    const refund = SystemProgram.transfer({
      fromPubkey: world.owner.publicKey,
      toPubkey: world.session,
      lamports: 10_000_000,
    });
    run(world, revokeSession(world), refund);
    expect(getAccount(world.svm, world.session)).toMatchObject({
      owner: SystemProgram.programId,
      data: Buffer.alloc(0),
    });
  });

  it('works while the vault is paused', () => {
    const world = worldWithSession();
    run(world, setPaused(world, true), revokeSession(world));
    expect(getAccount(world.svm, world.session)).toBeNull();
  });

  itRefuses(worldWithSession, revokeSession, [
    ...refusalsOfOwnedSession,
    ...refusalsOfArguments,
    ...faulty('owner', 'readonly'),
    ...faulty('vault', 'readonly'),
  ]);
});

function lamports({ svm, owner }: World): bigint {
  return getAccount(svm, owner.publicKey)?.lamports ?? 0n;
}
