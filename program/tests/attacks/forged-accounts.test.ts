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
  'migrate_vault',
  'close_vault',
  'owner_withdraw',
  'transfer_usdc',
  'yield_deposit',
  'yield_withdraw',
  'yield_deposit by the owner',
  'sweep_token_account',
  'sweep_lamports',
);
const withSession = callsNamed(
  'update_session_allowlist',
  'update_session_limits',
  'revoke_session',
  'transfer_usdc',
  'yield_deposit',
  'yield_withdraw',
);

/** Owner of the forged account, the error, and how its data differs from the real one's. */
type Forgery = readonly [
  what: string,
  owner: PublicKey,
  error: string,
  forge?: (data: Buffer) => Buffer,
];
const WRONG_OWNER = 'AccountOwnedByWrongProgram';
const WRONG_KIND = 'AccountDiscriminatorMismatch';
const UNREADABLE = 'AccountDidNotDeserialize';

const forgeries: readonly Forgery[] = [
  ['all its bytes, of another program', OTHER_PROGRAM, WRONG_OWNER],
  ['all its bytes, of the token program', TOKEN_PROGRAM_ID, WRONG_OWNER],
  ['all its bytes, of the system program', SystemProgram.programId, WRONG_OWNER],
  ['all its bytes, of this program, at another address', PROGRAM_ID, 'ConstraintSeeds'],
  ['no discriminator', PROGRAM_ID, WRONG_KIND, (data) => data.fill(0, 0, 8)],
  ['the discriminator alone', PROGRAM_ID, UNREADABLE, (data) => data.subarray(0, 8)],
  ['a byte too few', PROGRAM_ID, UNREADABLE, (data) => data.subarray(0, -1)],
  ['a byte too many', PROGRAM_ID, UNREADABLE, (data) => Buffer.concat([data, Buffer.alloc(1)])],
  ['nothing', PROGRAM_ID, WRONG_KIND, () => Buffer.alloc(0)],
  ['seven bytes', PROGRAM_ID, WRONG_KIND, (data) => data.subarray(0, 7)],
];

describe.each([
  ['vault', withVault],
  ['session', withSession],
] as const)('a forged %s', (name, calls) => {
  const cases = forgeries.flatMap(([what, owner, error, forge]) =>
    calls.map(([instruction, make]) => ({ what, owner, error, forge, instruction, make })),
  );
  it.each(cases)('with $what is refused by $instruction', ({ owner, error, forge, make }) => {
    const world = fullWorld();
    const before = balances(world);
    const real = getAccount(world.svm, world[name])?.data ?? Buffer.alloc(0);
    const data = forge?.(real) ?? real;
    setAccount(world.svm, FORGED, { owner, data });
    const call = replaced(name, () => FORGED)(make(world), world);
    expectError(attempt(world, call), error, name);
    expect(balances(world)).toEqual(before);
  });
});

describe('an account with another version or length at its own address', () => {
  const versions = [
    ['vault', 0, 96],
    ['vault', 0, 104],
    ['vault', 1, 104],
    ['vault', 2, 96],
    ['vault', 3, 96],
    ['vault', 3, 104],
    ['vault', 3, 112],
    ['vault', 255, 104],
    ['session', 0, 696],
    ['session', 2, 696],
    ['session', 2, 704],
  ] as const;
  const calls = { vault: withVault, session: withSession };
  const cases = versions.flatMap(([name, version, length]) =>
    calls[name].map(([instruction, make]) => ({ name, version, length, instruction, make })),
  );
  it.each(cases)(
    'is refused: a $name of version $version with $length bytes, by $instruction',
    ({ name, version, length, make }) => {
      const world = fullWorld();
      const call = make(world);
      const before = balances(world);
      const real = getAccount(world.svm, world[name])?.data ?? Buffer.alloc(0);
      const data = Buffer.concat([real, Buffer.alloc(length)]).subarray(0, length);
      data.writeUInt8(version, 8);
      setAccount(world.svm, world[name], { data });
      expectError(attempt(world, call), UNREADABLE, name);
      setAccount(world.svm, world[name], { data: real });
      expect(balances(world)).toEqual(before);
    },
  );
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
