import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, replaced, transferUsdc } from '../support/calls.ts';
import { getAccount, keypair, PROGRAM_ID, setAccount } from '../support/chain.ts';
import { callsNamed, fullWorld } from '../support/every-instruction.ts';
import { expectError } from '../support/expect.ts';
import type { World } from '../support/world.ts';
import { balances } from '../support/yield-world.ts';

const FORGED = keypair('a forged account').publicKey;
const OTHER_PROGRAM = keypair('a program of the attacker').publicKey;

const withVault = callsNamed(
  'set_paused',
  'owner_withdraw',
  'transfer_usdc',
  'yield_deposit',
  'yield_withdraw',
  'yield_deposit by the owner',
);
const withSession = callsNamed(
  'update_session_allowlist',
  'update_session_limits',
  'revoke_session',
  'transfer_usdc',
  'yield_deposit',
  'yield_withdraw',
);

/** Owner of the forged account, its data derived from the real one's, and the error. */
const forgeries: readonly (readonly [
  string,
  owner: PublicKey,
  forge: (data: Buffer) => Buffer,
  error: string,
])[] = [
  ...(
    [
      ['another program', OTHER_PROGRAM, 'AccountOwnedByWrongProgram'],
      ['the token program', TOKEN_PROGRAM_ID, 'AccountOwnedByWrongProgram'],
      ['the system program', SystemProgram.programId, 'AccountOwnedByWrongProgram'],
      ['this program, at another address', PROGRAM_ID, 'ConstraintSeeds'],
    ] as const
  ).map(
    ([owner, id, error]) =>
      [`all its bytes, of ${owner}`, id, (data: Buffer) => data, error] as const,
  ),
  ...(
    [
      ['no discriminator', (data) => data.fill(0, 0, 8), 'AccountDiscriminatorMismatch'],
      ['the discriminator alone', (data) => data.subarray(0, 8), 'AccountDidNotDeserialize'],
      ['a byte too few', (data) => data.subarray(0, -1), 'AccountDidNotDeserialize'],
      [
        'a byte too many',
        (data) => Buffer.concat([data, Buffer.alloc(1)]),
        'AccountDidNotDeserialize',
      ],
      ['nothing', () => Buffer.alloc(0), 'AccountDiscriminatorMismatch'],
      ['seven bytes', (data) => data.subarray(0, 7), 'AccountDiscriminatorMismatch'],
    ] as const satisfies readonly (readonly [string, (data: Buffer) => Buffer, string])[]
  ).map(([what, forge, error]) => [what, PROGRAM_ID, forge, error] as const),
];

describe.each([
  ['vault', withVault],
  ['session', withSession],
] as const)('a forged %s', (name, calls) => {
  const cases = forgeries.flatMap(([what, owner, forge, error]) =>
    calls.map(([instruction, make]) => [what, instruction, owner, forge, error, make] as const),
  );
  it.each(cases)('with %s is refused by %s', (_what, _name, owner, forge, error, make) => {
    const world = fullWorld();
    const before = balances(world);
    const data = forge(getAccount(world.svm, world[name])?.data ?? Buffer.alloc(0));
    setAccount(world.svm, FORGED, { owner, data });
    const call = replaced(name, () => FORGED)(make(world), world);
    expectError(attempt(world, call), error, name);
    expect(balances(world)).toEqual(before);
  });
});

describe('a forged vault that names the victim', () => {
  it.each([
    ['its owner', 32, (w: World) => w.stranger.publicKey],
    ['its token account', 64, (w: World) => w.recipient],
  ])('is refused although it names %s', (_name, offset, choose) => {
    const world = fullWorld();
    const data = getAccount(world.svm, world.vault)?.data ?? Buffer.alloc(0);
    choose(world).toBuffer().copy(data, offset);
    setAccount(world.svm, FORGED, { owner: PROGRAM_ID, data });
    const call = replaced('vault', () => FORGED)(transferUsdc(world, { spend_seq: 7n }), world);
    expectError(attempt(world, call), 'ConstraintSeeds', 'vault');
  });
});
