import { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { addSession, revokeSession } from '../support/calls.ts';
import {
  after,
  both,
  edited,
  type Mutator,
  replaced,
  withArgs,
  withData,
} from '../support/mutators.ts';
import { EVENT_AUTHORITY, run } from '../support/call.ts';
import {
  editData,
  FIRST_INDEX,
  getAccount,
  keypair,
  NOW,
  PROGRAM_ID,
  setAccount,
  U64_MAX,
} from '../support/chain.ts';
import { expectEvent, itChecksInOrder, itRefuses } from '../support/expect.ts';
import { another, failing, faulty, swapped } from '../support/faults.ts';
import {
  firstChecksOfGrant,
  refusalsOfArguments,
  refusalsOfDeadline,
  refusalsOfLimits,
  refusalsOfOwnedVault,
  refusalsOfRecipients,
} from '../support/refusals.ts';
import {
  defaultSettings,
  read,
  sessionAddress,
  vaultAddress,
  wallets,
  type World,
  worldWithVault,
} from '../support/world.ts';

describe('add_session', () => {
  it('creates a session with these settings and emits the event in the log and as a self-call', () => {
    const world = worldWithVault();
    const recipients = wallets(10);
    const outcome = run(world, addSession(world, { recipients, allowed_instructions: 7 }));
    const { max_per_tx, daily_cap, expiry } = defaultSettings(world);
    const settings = {
      session_pubkey: world.sessionKey.publicKey.toBase58(),
      max_per_tx,
      daily_cap,
      expiry,
      allowed_instructions: 7,
      index: FIRST_INDEX,
    };
    const vault = world.vault.toBase58();
    const listed = recipients.map((recipient) => recipient.toBase58());
    expect(outcome.logs[1]).toBe('Program log: Instruction: AddSession');
    expect(read(world, 'Session', world.session)).toMatchObject({
      ...settings,
      version: 1,
      vault,
      recipients_count: 10,
      recipients: listed,
      daily_spent: 0n,
      daily_window_start: 0n,
      last_seen: 0n,
      buckets: Array.from({ length: 25 }, () => 0n),
      highest_seq: 0n,
      bitmap: [0n, 0n, 0n, 0n],
    });
    const session = world.session.toBase58();
    expectEvent(outcome, 'SessionAdded', { ...settings, vault, session, recipients: listed });
  });

  it('accepts no recipients, no instructions and limits of 64 bits', () => {
    const world = worldWithVault();
    const edges = { recipients: [], allowed_instructions: 0, expiry: 2n ** 63n - 1n };
    run(world, addSession(world, { ...edges, max_per_tx: U64_MAX, daily_cap: U64_MAX }));
    expect(read(world, 'Session', world.session)).toMatchObject({
      recipients_count: 0,
      recipients: Array.from({ length: 10 }, () => PublicKey.default.toBase58()),
      max_per_tx: U64_MAX,
      daily_cap: U64_MAX,
      expiry: 2n ** 63n - 1n,
    });
  });

  it('accepts an expiry one second ahead', () => {
    const world = worldWithVault();
    run(world, addSession(world, { expiry: NOW + 1n }));
    expect(read(world, 'Session', world.session)['expiry']).toBe(NOW + 1n);
  });

  it('numbers the sessions of a vault; a re-created session gets a new number', () => {
    const world = worldWithVault();
    run(world, addSession(world));
    const other = { ...world, sessionKey: keypair('second session') };
    const session = sessionAddress(world.vault, other.sessionKey.publicKey);
    run({ ...other, session }, addSession({ ...other, session }));
    run(world, revokeSession(world));
    run(world, addSession(world));
    expect(read(world, 'Session', session)['index']).toBe(FIRST_INDEX + 1n);
    expect(read(world, 'Session', world.session)['index']).toBe(FIRST_INDEX + 2n);
    expect(read(world, 'Vault', world.vault)).toMatchObject({
      next_session_index: FIRST_INDEX + 3n,
      open_sessions: 2n,
    });
  });

  it.each([1n, 900_000_000n])('accepts an address that holds %d lamports', (lamports) => {
    const world = worldWithVault();
    setAccount(world.svm, world.session, { lamports });
    run(world, addSession(world));
    const rent = world.svm.minimumBalanceForRentExemption(696n);
    const expected = lamports > rent ? lamports : rent;
    expect(getAccount(world.svm, world.session)?.lamports).toBe(expected);
    expect(read(world, 'Session', world.session)['index']).toBe(FIRST_INDEX);
  });

  it('works while the vault is paused', () => {
    const world = worldWithVault();
    editData(world.svm, world.vault, (data) => data.writeUInt8(1, 12));
    run(world, addSession(world));
    expect(read(world, 'Session', world.session)['index']).toBe(FIRST_INDEX);
  });

  itRefuses(worldWithVault, addSession, [
    ...refusalsOfOwnedVault,
    ...refusalsOfArguments,
    ...refusalsOfDeadline,
    ...failing('SessionIndexMismatch', {
      'the session index is past': both(
        after((w) => {
          run(w, addSession(w));
          run(w, revokeSession(w));
        }),
        withArgs({ session_index: FIRST_INDEX }),
      ),
      'the session index is to come': withArgs({ session_index: FIRST_INDEX + 1n }),
      'the session index is the largest': withArgs({ session_index: U64_MAX }),
    }),
    ...failing('SessionKeyForbidden', {
      'the session key is the zero address': ofKey(() => PublicKey.default),
      'the session key is the vault': ofKey((w) => w.vault),
      'the session key is the event authority': ofKey(() => EVENT_AUTHORITY),
    }),
    ...refusalsOfLimits,
    ...refusalsOfRecipients,
    ...faulty('owner', 'readonly'),
    ...faulty('vault', 'readonly'),
    ...swapped('vault', 'AccountNotInitialized', { 'the session account': (w) => w.session }),
    ...faulty('session', 'readonly'),
    ...swapped('session', 'ConstraintSeeds', {
      'that of another key': (w) => sessionAddress(w.vault, w.stranger.publicKey),
      'that of another vault': (w) =>
        sessionAddress(vaultAddress(w.stranger.publicKey), w.sessionKey.publicKey),
    }),
    ...failing(
      'AccountNotSystemOwned',
      {
        'there is a session of this key already': both(
          after((w) => run(w, addSession(w))),
          withArgs({ session_index: FIRST_INDEX + 1n }),
        ),
        'the session address holds an account of this program': after((w) =>
          setAccount(w.svm, w.session, { data: Buffer.alloc(8), owner: PROGRAM_ID }),
        ),
      },
      'session',
    ),
    ...another('InvalidProgramId', 'system_program'),
    ...failing('MathOverflow', {
      'no number is left for the session': both(
        edited('vault', (data) => data.writeBigUInt64LE(U64_MAX, 24)),
        withArgs({ session_index: U64_MAX }),
      ),
    }),
    ...failing('InstructionDidNotDeserialize', {
      'there are fewer recipients than announced': withData((data) =>
        Buffer.concat([data.subarray(0, 74), Buffer.alloc(4, 0xff)]),
      ),
    }),
  ]);

  itChecksInOrder(worldWithVault, addSession, [
    ['recipients', withArgs({ recipients: wallets(11) }), 'TooManyRecipients'],
    ['limits', withArgs({ max_per_tx: 0n }), 'InvalidAmount'],
    ['session key', ofKey((w) => w.vault), 'SessionKeyForbidden'],
    ['session index', withArgs({ session_index: FIRST_INDEX + 1n }), 'SessionIndexMismatch'],
    ...firstChecksOfGrant,
  ]);
});

/** The session is for this key, at the address of that session. */
function ofKey(choose: (world: World) => PublicKey): Mutator {
  return both(
    withArgs((w) => ({ session_pubkey: choose(w) })),
    replaced('session', (w) => sessionAddress(w.vault, choose(w))),
  );
}
