import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { type PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt } from '../support/call.ts';
import { replaced } from '../support/mutators.ts';
import { getAccount, keypair, PROGRAM_ID, send, setAccount } from '../support/chain.ts';
import { callsNamed, fullWorld } from '../support/every-instruction.ts';
import { expectError } from '../support/expect.ts';
import { balances } from '../support/yield-world.ts';

const FORGED = keypair('a forged account');
/** Lamports that pay the rent of any forged account. */
const RENT = 10_000_000;
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
    setAccount(world.svm, FORGED.publicKey, { owner, data });
    const call = replaced(name, () => FORGED.publicKey)(make(world), world);
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

// Owner program and discriminator prove the address of a vault or session, so the program does
// not derive it. This holds because nobody can make such an account elsewhere.
describe('an account of the wallet program that somebody else makes', () => {
  const places = [
    ...withVault.map(([instruction, make]) => ({ name: 'vault', instruction, make }) as const),
    ...withSession.map(([instruction, make]) => ({ name: 'session', instruction, make }) as const),
  ];

  it.each(places)('holds zeros only, so it is no $name for $instruction', ({ name, make }) => {
    const world = fullWorld();
    const before = balances(world);
    const space = getAccount(world.svm, world[name])?.data.length ?? 0;
    const fromPubkey = world.stranger.publicKey;
    const made = { fromPubkey, newAccountPubkey: FORGED.publicKey, lamports: RENT, space };
    const create = SystemProgram.createAccount({ ...made, programId: PROGRAM_ID });
    expect(send(world.svm, [create], [world.stranger, FORGED]).failed).toBe(false);
    const call = replaced(name, () => FORGED.publicKey)(make(world), world);
    expectError(attempt(world, call), 'AccountDiscriminatorMismatch', name);
    expect(balances(world)).toEqual(before);
  });

  it('cannot be one with data that is assigned to the program', () => {
    const world = fullWorld();
    const payer = world.stranger;
    const nonce = {
      fromPubkey: payer.publicKey,
      noncePubkey: FORGED.publicKey,
      authorizedPubkey: payer.publicKey,
      lamports: RENT,
    };
    const { instructions } = SystemProgram.createNonceAccount(nonce);
    expect(send(world.svm, instructions, [payer, FORGED]).failed).toBe(false);
    expect(getAccount(world.svm, FORGED.publicKey)?.data.some((byte) => byte !== 0)).toBe(true);
    const assign = SystemProgram.assign({
      accountPubkey: FORGED.publicKey,
      programId: PROGRAM_ID,
    });
    const outcome = send(world.svm, [assign], [payer, FORGED]);
    expect(outcome.failed).toBe(true);
    expect(getAccount(world.svm, FORGED.publicKey)?.owner).toEqual(SystemProgram.programId);
  });

  it.each(callsNamed('init_vault', 'add_session'))(
    'is not accepted at another address by %s',
    (_, make, makeWorld) => {
      const world = makeWorld();
      const name = make(world).name === 'init_vault' ? 'vault' : 'session';
      const call = replaced(name, () => FORGED.publicKey)(make(world), world);
      expectError(attempt(world, call), 'ConstraintSeeds', name);
    },
  );
});
