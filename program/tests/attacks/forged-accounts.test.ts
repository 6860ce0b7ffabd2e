import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  attempt,
  byOwner,
  type Call,
  ownerWithdraw,
  revokeSession,
  setPaused,
  transferUsdc,
  updateSessionAllowlist,
  updateSessionLimits,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import { getAccount, keypair, PROGRAM_ID, setAccount, setTokenAccount } from '../support/chain.ts';
import { expectError } from '../support/expect.ts';
import type { World } from '../support/world.ts';
import { balances, worldWithInterest } from '../support/yield-world.ts';

const FORGED = keypair('a forged account').publicKey;
const OTHER_PROGRAM = keypair('a program of the attacker').publicKey;

type Make = (world: World) => Call;
const withVault: readonly (readonly [string, Make])[] = [
  ['set_paused', (w) => setPaused(w, true)],
  ['owner_withdraw', (w) => ownerWithdraw(w)],
  ['transfer_usdc', (w) => transferUsdc(w, { spend_seq: 7n })],
  ['yield_deposit', (w) => yieldDeposit(w, { spend_seq: 7n })],
  ['yield_withdraw', (w) => yieldWithdraw(w, { amount: 99n, spend_seq: 7n })],
  ['yield_deposit by the owner', (w) => byOwner(yieldDeposit(w), w)],
];
const withSession: readonly (readonly [string, Make])[] = [
  ['update_session_allowlist', (w) => updateSessionAllowlist(w, [w.stranger.publicKey])],
  ['update_session_limits', (w) => updateSessionLimits(w)],
  ['revoke_session', revokeSession],
  ['transfer_usdc', (w) => transferUsdc(w, { spend_seq: 7n })],
  ['yield_deposit', (w) => yieldDeposit(w, { spend_seq: 7n })],
  ['yield_withdraw', (w) => yieldWithdraw(w, { amount: 99n, spend_seq: 7n })],
];

/** Who owns the forged account, what it holds of the real one, and what answers. */
const forgeries: readonly (readonly [
  string,
  owner: PublicKey,
  forge: (data: Buffer) => Buffer,
  error: string,
])[] = [
  [
    'all its bytes, of another program',
    OTHER_PROGRAM,
    (data) => data,
    'AccountOwnedByWrongProgram',
  ],
  [
    'all its bytes, of the token program',
    TOKEN_PROGRAM_ID,
    (data) => data,
    'AccountOwnedByWrongProgram',
  ],
  [
    'all its bytes, of the system program',
    SystemProgram.programId,
    (data) => data,
    'AccountOwnedByWrongProgram',
  ],
  ['all its bytes, at another address', PROGRAM_ID, (data) => data, 'ConstraintSeeds'],
  [
    'no discriminator',
    PROGRAM_ID,
    (data) => Buffer.concat([Buffer.alloc(8), data.subarray(8)]),
    'AccountDiscriminatorMismatch',
  ],
  [
    'the discriminator alone',
    PROGRAM_ID,
    (data) => data.subarray(0, 8),
    'AccountDidNotDeserialize',
  ],
  ['a byte too few', PROGRAM_ID, (data) => data.subarray(0, -1), 'AccountDidNotDeserialize'],
  [
    'a byte too many',
    PROGRAM_ID,
    (data) => Buffer.concat([data, Buffer.alloc(1)]),
    'AccountDidNotDeserialize',
  ],
  ['nothing', PROGRAM_ID, () => Buffer.alloc(0), 'AccountDiscriminatorMismatch'],
  ['seven bytes', PROGRAM_ID, (data) => data.subarray(0, 7), 'AccountDiscriminatorMismatch'],
];

describe.each([
  ['vault', withVault],
  ['session', withSession],
] as const)('a forged %s', (name, calls) => {
  const cases = forgeries.flatMap(([what, owner, forge, error]) =>
    calls.map(([instruction, make]) => [what, instruction, owner, forge, error, make] as const),
  );
  it.each(cases)('with %s is refused by %s', (_what, _name, owner, forge, error, make) => {
    const world = worldWithInterest();
    setTokenAccount(world.svm, world.owner.publicKey, 0n);
    const before = balances(world);
    const data = forge(getAccount(world.svm, world[name])?.data ?? Buffer.alloc(0));
    setAccount(world.svm, FORGED, { owner, data });
    const call = make(world);
    const accounts = call.accounts.map((meta) =>
      meta.name === name ? { ...meta, pubkey: FORGED } : meta,
    );
    expectError(attempt(world, { ...call, accounts }), error, name);
    expect(balances(world)).toEqual(before);
  });
});

describe('a vault of the attacker, made over to the victim', () => {
  it.each([
    ['its owner', 32, (w: World) => w.stranger.publicKey],
    ['its token account', 64, (w: World) => w.recipient],
  ])('cannot be what it says of %s', (_name, offset, choose) => {
    const world = worldWithInterest();
    const data = getAccount(world.svm, world.vault)?.data ?? Buffer.alloc(0);
    choose(world).toBuffer().copy(data, offset);
    setAccount(world.svm, FORGED, { owner: PROGRAM_ID, data });
    const call = transferUsdc(world, { spend_seq: 7n });
    const accounts = call.accounts.map((meta) =>
      meta.name === 'vault' ? { ...meta, pubkey: FORGED } : meta,
    );
    expectError(attempt(world, { ...call, accounts }), 'ConstraintSeeds', 'vault');
  });
});
