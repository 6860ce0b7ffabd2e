import { describe, expect, it } from 'vitest';
import {
  addSession,
  closeVault,
  initVault,
  revokeSession,
  setMaxDeployedFraction,
  setPaused,
  transferUsdc,
  updateSessionAllowlist,
  updateSessionLimits,
} from '../support/calls.ts';
import { attempt, type Call, run } from '../support/call.ts';
import { DAY, editData, getAccount, keypair, NOW, passSlots, setClock } from '../support/chain.ts';
import { release, signed, until } from '../support/durable-nonce.ts';
import { expectError } from '../support/expect.ts';
import { nextSessionIndex, sessionIndex } from '../support/session-indexes.ts';
import { withVersion1 } from '../support/version-1.ts';
import {
  emptyWorld,
  read,
  sessionAddress,
  type World,
  worldWithEmptyVault,
  worldWithSession,
  worldWithVault,
} from '../support/world.ts';

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

describe('a closing that was held back', () => {
  it('lands long after it was signed, as long as its vault has no further session', () => {
    const world = worldWithEmptyVault();
    const held = signed(world, closeVault(world));
    setClock(world.svm, NOW + 365n * DAY);
    expect(release(world, held).failed).toBe(false);
    expect(getAccount(world.svm, world.vault)).toBeNull();
  });

  it.each([
    ['of version 2', worldWithEmptyVault],
    ['of version 1 and had no session', emptyVaultOfVersion1],
  ])('does not close the next vault of the owner, when the first one was %s', (_was, makeWorld) => {
    const world = makeWorld();
    const held = signed(world, closeVault(world));
    run(world, closeVault(world), initVault(world));
    passSlots(world.svm, 1n);
    expectError(release(world, held), 'SessionIndexMismatch');
    expect(getAccount(world.svm, world.vault)?.data.length).toBe(104);
  });

  it('does not close its vault after another session', () => {
    const world = worldWithEmptyVault();
    const held = signed(world, closeVault(world));
    run(world, addSession(world));
    run(world, revokeSession(world));
    expectError(release(world, held), 'SessionIndexMismatch');
    expect(getAccount(world.svm, world.vault)).not.toBeNull();
  });
});

function deadlineAgo(seconds: bigint): bigint {
  return NOW - seconds;
}

function pausedWorld(): World {
  const world = worldWithVault();
  run(world, setPaused(world, true));
  return world;
}

/** Version 1 counted sessions from 0. */
function emptyVaultOfVersion1(): World {
  const world = withVersion1(worldWithEmptyVault());
  editData(world.svm, world.vault, (data) => void data.writeBigUInt64LE(0n, 24));
  return world;
}

function withKey(world: World, label: string): World {
  const sessionKey = keypair(label);
  return { ...world, sessionKey, session: sessionAddress(world.vault, sessionKey.publicKey) };
}
