import { describe, expect, it } from 'vitest';
import { attempt, type Call, run } from '../support/call.ts';
import { setPaused, transferUsdc, updateSessionAllowlist } from '../support/calls.ts';
import { withArgs } from '../support/mutators.ts';
import { expectError, expectEvent, itChecksInOrder, itRefuses } from '../support/expect.ts';
import {
  firstChecksOfGrant,
  refusalsOfArguments,
  refusalsOfDeadline,
  refusalsOfOwnedSession,
  refusalsOfRecipients,
} from '../support/refusals.ts';
import { sessionIndex } from '../support/session-indexes.ts';
import { read, type World, wallets, worldWithSession } from '../support/world.ts';

describe('update_session_allowlist', () => {
  it('replaces the list, keeps the counters and emits the event in the log and as a self-call', () => {
    const world = worldWithSession({ recipients: wallets(9) });
    run(world, updateSessionAllowlist(world, [world.recipient]));
    run(world, transferUsdc(world, { amount: 60n }));
    const before = read(world, 'Session', world.session);
    const outcome = run(world, updateSessionAllowlist(world, wallets(10)));
    const listed = wallets(10).map((wallet) => wallet.toBase58());
    expect(outcome.logs[1]).toBe('Program log: Instruction: UpdateSessionAllowlist');
    expect(read(world, 'Session', world.session)).toEqual({
      ...before,
      recipients_count: 10,
      recipients: listed,
    });
    const [vault, session] = [world.vault.toBase58(), world.session.toBase58()];
    expectEvent(outcome, 'SessionAllowlistUpdated', { vault, session, recipients: listed });
  });

  it('refuses a recipient who is no longer listed', () => {
    const world = worldWithSession();
    run(world, updateSessionAllowlist(world, []));
    expectError(attempt(world, transferUsdc(world)), 'RecipientNotAllowed');
  });

  it('works while the vault is paused', () => {
    const world = worldWithSession();
    run(world, setPaused(world, true), updateSessionAllowlist(world, []));
    expect(read(world, 'Session', world.session)['recipients_count']).toBe(0);
  });

  itRefuses(worldWithSession, change, [
    ...refusalsOfOwnedSession,
    ...refusalsOfRecipients,
    ...refusalsOfArguments,
    ...refusalsOfDeadline,
  ]);

  itChecksInOrder(worldWithSession, change, [
    ['recipients', withArgs({ recipients: wallets(11) }), 'TooManyRecipients'],
    [
      'session index',
      withArgs((w) => ({ session_index: sessionIndex(w) + 1n })),
      'SessionMismatch',
    ],
    ...firstChecksOfGrant,
  ]);
});

function change(world: World): Call {
  return updateSessionAllowlist(world, wallets(3));
}
