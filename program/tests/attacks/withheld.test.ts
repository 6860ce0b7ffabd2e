import { createHash } from 'node:crypto';
import { NONCE_ACCOUNT_LENGTH, PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  addSession,
  attempt,
  type Call,
  initVault,
  revokeSession,
  run,
  setMaxDeployedFraction,
  setPaused,
  toInstruction,
  transferUsdc,
  updateSessionAllowlist,
  updateSessionLimits,
} from '../support/calls.ts';
import {
  DAY,
  getAccount,
  keypair,
  land,
  NOW,
  type Outcome,
  setAccount,
  setClock,
  type Signed,
  sign,
} from '../support/chain.ts';
import { expectError } from '../support/expect.ts';
import { nextSessionIndex, sessionIndex } from '../support/session-indexes.ts';
import {
  emptyWorld,
  read,
  sessionAddress,
  type World,
  worldWithSession,
  worldWithVault,
} from '../support/world.ts';

/*
 * The owner signs a transaction with a durable nonce, and the backend holds it back. It stays
 * valid until the nonce advances, so it may land months later, after other signatures.
 */

describe('a second copy of add_session that was held back', () => {
  it('lands when the first one never did', () => {
    const world = worldWithVault();
    const held = signed(world, addSession(world));
    setClock(world.svm, NOW + 20n * DAY);
    expect(release(world, held).failed).toBe(false);
    expect(read(world, 'Session', world.session)).toMatchObject({ max_per_tx: 60n });
  });

  it('gives a revoked key no new session', () => {
    const world = worldWithVault();
    const [first, second] = [signed(world, addSession(world)), signed(world, addSession(world))];
    expect(release(world, second).failed).toBe(false);
    run(world, revokeSession(world));
    expectError(release(world, first), 'SessionIndexMismatch');
    expect(getAccount(world.svm, world.session)).toBeNull();
    expectError(attempt(world, transferUsdc(world)), 'AccountNotInitialized', 'session');
  });

  it('creates no session of another key beside the first', () => {
    const world = worldWithVault();
    const held = signed(world, addSession(withKey(world, 'the first key')));
    run(world, addSession(world));
    expectError(release(world, held), 'SessionIndexMismatch');
  });

  it('does not land in the same chain transaction as the first', () => {
    const world = worldWithVault();
    const calls = [addSession(world), addSession(withKey(world, 'the first key'))];
    expectError(attempt(world, ...calls), 'SessionIndexMismatch');
  });

  it('does not land before its session is the next one', () => {
    const world = worldWithVault();
    const ahead = addSession(world);
    const early = {
      ...ahead,
      args: { ...ahead.args, session_index: nextSessionIndex(world) + 1n },
    };
    expectError(attempt(world, early), 'SessionIndexMismatch');
  });
});

describe('an instruction for a session that was held back', () => {
  const instructions: readonly (readonly [string, (world: World) => Call])[] = [
    ['a raise of its limits', (w) => updateSessionLimits(w, { max_per_tx: 99n, daily_cap: 999n })],
    ['a longer list of its recipients', (w) => updateSessionAllowlist(w, [w.stranger.publicKey])],
    ['its revocation', revokeSession],
  ];

  it.each(instructions)('does not reach the next session of the same key: %s', (_name, call) => {
    const world = worldWithSession();
    const held = signed(world, call(world));
    run(world, revokeSession(world));
    run(world, addSession(world));
    const before = read(world, 'Session', world.session);
    expectError(release(world, held), 'SessionMismatch');
    expect(read(world, 'Session', world.session)).toEqual(before);
  });

  it.each(instructions)('is executed as long as its session is there: %s', (_name, call) => {
    const world = worldWithSession();
    const held = signed(world, call(world));
    setClock(world.svm, NOW + DAY);
    expect(release(world, held).failed).toBe(false);
  });

  it.each(instructions)('cannot name a session to come: %s', (_name, makeCall) => {
    const world = worldWithSession();
    const call = makeCall(world);
    const early = { ...call, args: { ...call.args, session_index: sessionIndex(world) + 1n } };
    expectError(attempt(world, early), 'SessionMismatch');
  });
});

describe('a grant that was held back', () => {
  const deadline = NOW + 90n;
  const grants: readonly (readonly [string, (world: World) => Call, () => World])[] = [
    ['init_vault', (w) => initVault(w), emptyWorld],
    ['add_session', (w) => addSession(w), worldWithVault],
    [
      'update_session_allowlist',
      (w) => updateSessionAllowlist(w, [w.stranger.publicKey]),
      worldWithSession,
    ],
    ['update_session_limits', (w) => updateSessionLimits(w, { daily_cap: 999n }), worldWithSession],
    ['set_max_deployed_fraction', (w) => setMaxDeployedFraction(w, 10_000), worldWithVault],
    ['set_paused', (w) => setPaused(w, false), pausedWorld],
  ];

  it.each(grants)('lands until the last second of its deadline: %s', (_name, call, makeWorld) => {
    const world = makeWorld();
    const held = signed(world, until(deadline, call(world)));
    setClock(world.svm, deadline);
    expect(release(world, held).failed).toBe(false);
  });

  it.each(grants)('does not land after its deadline: %s', (_name, call, makeWorld) => {
    const world = makeWorld();
    const held = signed(world, until(deadline, call(world)));
    setClock(world.svm, deadline + 1n);
    const before = getAccount(world.svm, world.vault);
    expectError(release(world, held), 'DeadlinePassed');
    expect(getAccount(world.svm, world.vault)).toEqual(before);
  });

  it('does not end a later pause', () => {
    const world = worldWithSession();
    run(world, setPaused(world, true));
    const held = signed(world, until(deadline, setPaused(world, false)));
    run(world, setPaused(world, false));
    setClock(world.svm, deadline + 1n);
    run(world, setPaused(world, true));
    expectError(release(world, held), 'DeadlinePassed');
    expectError(attempt(world, transferUsdc(world)), 'VaultPaused');
  });
});

describe('an instruction that takes something away', () => {
  it.each([deadlineAgo(1n), deadlineAgo(365n * DAY), 0n, -(2n ** 63n)])(
    'pauses at any deadline (%d)',
    (passed) => {
      const world = worldWithSession();
      run(world, until(passed, setPaused(world, true)));
      expect(read(world, 'Vault', world.vault)).toMatchObject({ paused: true });
    },
  );

  it('revokes long after it was signed', () => {
    const world = worldWithSession();
    const held = signed(world, revokeSession(world));
    setClock(world.svm, NOW + 365n * DAY);
    expect(release(world, held).failed).toBe(false);
    expect(getAccount(world.svm, world.session)).toBeNull();
  });
});

function deadlineAgo(seconds: bigint): bigint {
  return NOW - seconds;
}

function until(deadline: bigint, call: Call): Call {
  return { ...call, args: { ...call.args, deadline } };
}

function pausedWorld(): World {
  const world = worldWithVault();
  run(world, setPaused(world, true));
  return world;
}

function withKey(world: World, label: string): World {
  const sessionKey = keypair(label);
  return { ...world, sessionKey, session: sessionAddress(world.vault, sessionKey.publicKey) };
}

let nonces = 0;

/** Signs the call with a durable nonce of its own, and does not send it. */
function signed(world: World, call: Call): Signed {
  nonces += 1;
  const nonceAccount = keypair(`nonce account ${nonces}`).publicKey;
  const nonce = createHash('sha256').update(`nonce ${nonces}`).digest();
  const authority = world.payer.publicKey;
  // Version and state, authority, nonce, fee.
  const data = Buffer.alloc(NONCE_ACCOUNT_LENGTH);
  data.writeUInt32LE(1, 0);
  data.writeUInt32LE(1, 4);
  authority.toBuffer().copy(data, 8);
  nonce.copy(data, 40);
  data.writeBigUInt64LE(5_000n, 72);
  setAccount(world.svm, nonceAccount, { data, owner: SystemProgram.programId });
  const advance = SystemProgram.nonceAdvance({
    noncePubkey: nonceAccount,
    authorizedPubkey: authority,
  });
  const instructions = [advance, toInstruction(call)];
  return sign(instructions, [world.payer, ...call.signers], new PublicKey(nonce).toBase58());
}

/** Sends a transaction whose blockhash would have expired. */
function release(world: World, held: Signed): Outcome {
  world.svm.expireBlockhash();
  return land(world.svm, held);
}
