import { describe, expect, it } from 'vitest';
import { attempt, run } from '../support/call.ts';
import { revokeSession, setPaused, transferUsdc, updateSessionLimits } from '../support/calls.ts';
import { withArgs } from '../support/mutators.ts';
import { NOW, setClock, U64_MAX } from '../support/chain.ts';
import { expectError, expectEvent, itChecksInOrder, itRefuses } from '../support/expect.ts';
import {
  firstChecksOfGrant,
  refusalsOfArguments,
  refusalsOfDeadline,
  refusalsOfLimits,
  refusalsOfOwnedSession,
} from '../support/refusals.ts';
import { sessionIndex } from '../support/session-indexes.ts';
import { read, worldWithSession } from '../support/world.ts';

describe('update_session_limits', () => {
  it('replaces the limits, keeps counters and recipients, and emits the event in the log and as a self-call', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 60n }));
    const before = read(world, 'Session', world.session);
    const limits = {
      max_per_tx: 7n,
      daily_cap: U64_MAX,
      expiry: NOW + 1n,
      allowed_instructions: 5,
    };
    const outcome = run(world, updateSessionLimits(world, limits));
    expect(outcome.logs[1]).toBe('Program log: Instruction: UpdateSessionLimits');
    expect(read(world, 'Session', world.session)).toEqual({ ...before, ...limits });
    const [vault, session] = [world.vault.toBase58(), world.session.toBase58()];
    expectEvent(outcome, 'SessionLimitsUpdated', { vault, session, ...limits });
  });

  it('allows no spend under a cap below the spent sum until that sum leaves the window', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 60n }));
    run(world, updateSessionLimits(world, { daily_cap: 59n }));
    const next = transferUsdc(world, { amount: 1n, spend_seq: 2n });
    expectError(attempt(world, next), 'DailyCapExceeded');
    setClock(world.svm, NOW + 25n * 3_600n);
    run(world, next);
  });

  it('counts earlier spends against a raised cap', () => {
    const world = worldWithSession({ daily_cap: 60n });
    run(world, transferUsdc(world, { amount: 60n }));
    run(world, updateSessionLimits(world, { daily_cap: 70n }));
    const tooMuch = transferUsdc(world, { amount: 11n, spend_seq: 2n });
    expectError(attempt(world, tooMuch), 'DailyCapExceeded');
    run(world, transferUsdc(world, { amount: 10n, spend_seq: 2n }));
  });

  it('lets an expired session spend again, also while the vault is paused', () => {
    const world = worldWithSession({ expiry: NOW + 1n });
    setClock(world.svm, NOW + 2n);
    run(world, setPaused(world, true), updateSessionLimits(world, { expiry: NOW + 3n }));
    run(world, setPaused(world, false), transferUsdc(world));
    expect(read(world, 'Session', world.session)['daily_spent']).toBe(10n);
  });

  it('cannot update a session that was revoked in the same transaction', () => {
    const world = worldWithSession();
    const outcome = attempt(world, revokeSession(world), updateSessionLimits(world));
    expectError(outcome, 'AccountNotInitialized', 'session');
  });

  itRefuses(worldWithSession, updateSessionLimits, [
    ...refusalsOfOwnedSession,
    ...refusalsOfLimits,
    ...refusalsOfArguments,
    ...refusalsOfDeadline,
  ]);

  itChecksInOrder(worldWithSession, updateSessionLimits, [
    ['limits', withArgs({ max_per_tx: 0n }), 'InvalidAmount'],
    [
      'session index',
      withArgs((w) => ({ session_index: sessionIndex(w) + 1n })),
      'SessionMismatch',
    ],
    ...firstChecksOfGrant,
  ]);
});
