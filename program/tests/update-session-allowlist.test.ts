import { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  attempt,
  type Call,
  run,
  setPaused,
  transferUsdc,
  updateSessionAllowlist,
  withArgs,
} from './support/calls.ts';
import { keypair } from './support/chain.ts';
import { expectError, expectEvent, itRefuses } from './support/expect.ts';
import { refusalsOfOwnedSession } from './support/refusals.ts';
import { read, type World, worldWithSession } from './support/world.ts';

describe('update_session_allowlist', () => {
  it('replaces the list, keeps the counters and says so in both channels', () => {
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

  it('shuts out who is no longer listed', () => {
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
    ['there are 11 recipients', withArgs(() => ({ recipients: wallets(11) })), 'TooManyRecipients'],
    [
      'a recipient is listed twice',
      withArgs((w) => ({ recipients: [w.recipient, w.recipient] })),
      'DuplicateRecipient',
    ],
    [
      'a recipient is the zero address',
      withArgs(() => ({ recipients: [new PublicKey(new Uint8Array(32))] })),
      'RecipientForbidden',
    ],
    [
      'a recipient is the vault',
      withArgs((w) => ({ recipients: [w.vault] })),
      'RecipientForbidden',
    ],
    [
      'a recipient is the token account of the vault',
      withArgs((w) => ({ recipients: [w.vaultTokenAccount] })),
      'RecipientForbidden',
    ],
    [
      'a recipient is the session key',
      withArgs((w) => ({ recipients: [w.sessionKey.publicKey] })),
      'RecipientForbidden',
    ],
  ]);
});

function change(world: World): Call {
  return updateSessionAllowlist(world, wallets(3));
}

function wallets(count: number): PublicKey[] {
  return Array.from({ length: count }, (_, place) => keypair(`wallet ${place}`).publicKey);
}
