import { TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import {
  addSession,
  after,
  both,
  byOwner,
  type Mutator,
  readonly,
  replaced,
  revokeSession,
  run,
  setPaused,
  signedBy,
  transferUsdc,
  unsigned,
  withArgs,
  withData,
  withoutLastAccount,
} from './calls.ts';
import { editData, NOW, removeAccount, setAccount, setClock, setTokenAccount } from './chain.ts';
import type { Refusal } from './expect.ts';
import { flipped, removed, strangersWorld } from './refusals.ts';
import { reserveAccounts } from './reserve.ts';
import { sessionAddress, type World } from './world.ts';
import { refusalsOfHeldAccount, refusalsOfReserve } from './yield-account-refusals.ts';

const U64_MAX = 2n ** 64n - 1n;
const DAY = 86_400n;

/** Refusals of both instructions that move money between a vault and the reserve. */
export const refusalsOfYield: readonly Refusal[] = [
  ...ofSignerAndAccounts(),
  ...ofSession(),
  ...refusalsOfHeldAccount('transit'),
  ...refusalsOfHeldAccount('collateral'),
  ...missing('transit'),
  ...missing('collateral'),
  ...refusalsOfReserve,
];

function ofSignerAndAccounts(): readonly Refusal[] {
  return [
    ['the session key does not sign', unsigned('authority'), 'AccountNotSigner', 'authority'],
    [
      'the owner signs with the session',
      signedBy('authority', (w) => w.owner),
      'ConstraintHasOne',
      'session',
    ],
    [
      'a stranger signs without a session',
      both(
        byOwner,
        signedBy('authority', (w) => w.stranger),
      ),
      'ConstraintHasOne',
      'vault',
    ],
    [
      'the session key signs without its session',
      both(
        byOwner,
        signedBy('authority', (w) => w.sessionKey),
      ),
      'ConstraintHasOne',
      'vault',
    ],
    [
      'the owner does not sign',
      both(byOwner, unsigned('authority')),
      'AccountNotSigner',
      'authority',
    ],
    ['the vault is not writable', readonly('vault'), 'ConstraintMut', 'vault'],
    ['the vault is missing', removed((w) => w.vault), 'AccountNotInitialized', 'vault'],
    [
      'the vault is an account of another program',
      after((w) => setAccount(w.svm, w.vault, { owner: w.stranger.publicKey })),
      'AccountOwnedByWrongProgram',
      'vault',
    ],
    [
      'the vault is the session',
      replaced('vault', (w) => w.session),
      'AccountDiscriminatorMismatch',
      'vault',
    ],
    ['the vault has another version', flipped('vault', 8), 'AccountDidNotDeserialize', 'vault'],
    ['the vault is not at its address', flipped('vault', 9), 'ConstraintSeeds', 'vault'],
    [
      'the vault is that of another owner',
      replaced('vault', (w) => strangersWorld(w).vault),
      'ConstraintHasOne',
      'session',
    ],
    [
      'the vault is that of another owner and there is no session',
      both(
        byOwner,
        replaced('vault', (w) => strangersWorld(w).vault),
      ),
      'ConstraintHasOne',
      'vault',
    ],
    [
      'the token account of the vault is not writable',
      readonly('vault_token_account'),
      'ConstraintMut',
      'vault_token_account',
    ],
    [
      'the token account of the vault is another account of the vault',
      replaced('vault_token_account', (w) =>
        setTokenAccount(w.svm, w.vault, 1_000n, { address: w.stranger.publicKey }),
      ),
      'ConstraintAssociated',
      'vault_token_account',
    ],
    [
      'the token account of the vault is the one for transit',
      replaced('vault_token_account', (w) => w.transit),
      'ConstraintAssociated',
      'vault_token_account',
    ],
    [
      'the token account of the vault is missing',
      removed((w) => w.vaultTokenAccount),
      'AccountNotInitialized',
      'vault_token_account',
    ],
    [
      'the mint is the collateral',
      replaced('usdc_mint', () => reserveAccounts.reserve_collateral_mint),
      'ConstraintAddress',
      'usdc_mint',
    ],
    [
      'the token program is Token-2022',
      replaced('token_program', () => TOKEN_2022_PROGRAM_ID),
      'InvalidProgramId',
      'token_program',
    ],
    [
      'the event authority is another',
      replaced('event_authority', (w) => w.stranger.publicKey),
      'ConstraintSeeds',
      'event_authority',
    ],
    [
      'the program is another',
      replaced('program', (w) => w.stranger.publicKey),
      'InvalidProgramId',
      'program',
    ],
    ['an account is missing', withoutLastAccount, 'AccountNotEnoughKeys'],
    [
      'the arguments are cut off',
      withData((data) => data.subarray(0, -1)),
      'InstructionDidNotDeserialize',
    ],
    [
      'a byte follows the arguments',
      withData((data) => Buffer.concat([data, Buffer.of(0)])),
      'InstructionDidNotDeserialize',
    ],
    ['the amount is zero', withArgs(() => ({ amount: 0n })), 'InvalidAmount'],
    [
      'the owner moves nothing',
      both(
        byOwner,
        withArgs(() => ({ amount: 0n })),
      ),
      'InvalidAmount',
    ],
  ];
}

function ofSession(): readonly Refusal[] {
  return [
    ['the session is not writable', readonly('session'), 'ConstraintMut', 'session'],
    ['the session is missing', removed((w) => w.session), 'AccountNotInitialized', 'session'],
    [
      'the session is missing and its address holds dust',
      removed((w) => w.session, 5n),
      'AccountNotInitialized',
      'session',
    ],
    [
      'the session was revoked',
      after((w) => run(w, revokeSession(w))),
      'AccountNotInitialized',
      'session',
    ],
    [
      'the session is an account of another program',
      after((w) => setAccount(w.svm, w.session, { owner: w.stranger.publicKey })),
      'AccountOwnedByWrongProgram',
      'session',
    ],
    [
      'the session is the vault',
      replaced('session', (w) => w.vault),
      'AccountDiscriminatorMismatch',
      'session',
    ],
    [
      'the session has another version',
      flipped('session', 8),
      'AccountDidNotDeserialize',
      'session',
    ],
    ['the session is not at its address', flipped('session', 9), 'ConstraintSeeds', 'session'],
    ['the session is of another vault', flipped('session', 48), 'ConstraintSeeds', 'session'],
    [
      'the session is that of another key',
      replaced('session', sessionOfAnotherKey),
      'ConstraintHasOne',
      'session',
    ],
    [
      'the session is that of another vault',
      replaced('session', (w) => {
        const other = strangersWorld(w);
        run(other, addSession(other, { allowed_instructions: 7 }));
        return other.session;
      }),
      'ConstraintHasOne',
      'session',
    ],
    ['the session index is another', args({ session_index: 1n }), 'SessionMismatch'],
    ['the sequence number is zero', args({ spend_seq: 0n }), 'SpendSequenceTooOld'],
    ['the sequence number is too far ahead', args({ spend_seq: U64_MAX }), 'SpendSequenceTooFar'],
    [
      'the sequence number was used by a transfer',
      after((w) => run(w, transferUsdc(w, { spend_seq: 7n }))),
      'SpendAlreadyExecuted',
    ],
    ['the vault is paused', after((w) => run(w, setPaused(w, true))), 'VaultPaused'],
    ['the session has expired', after((w) => setClock(w.svm, NOW + 31n * DAY)), 'SessionExpired'],
  ];
}

function missing(name: 'transit' | 'collateral'): readonly Refusal[] {
  const account = `${name}_token_account`;
  return [
    [
      `the ${name} account is missing`,
      after((w) => removeAccount(w.svm, w[name])),
      'AccountNotInitialized',
      account,
    ],
  ];
}

/** The order of checks up to the amount: each step spoils one thing more, the newest answers. */
export const firstChecksOfYield = (
  instructionBit: number,
): readonly (readonly [name: string, Mutator, error: string, account?: string])[] => [
  ['amount', args({ amount: 0n }), 'InvalidAmount'],
  [
    'instruction bit',
    after((w) => editData(w.svm, w.session, (data) => data.writeUInt16LE(7 ^ instructionBit, 10))),
    'InstructionNotAllowed',
  ],
  [
    'expiry',
    after((w) => editData(w.svm, w.session, (data) => data.writeBigInt64LE(1n, 40))),
    'SessionExpired',
  ],
  ['pause', after((w) => run(w, setPaused(w, true))), 'VaultPaused'],
  ['sequence number', args({ spend_seq: 0n }), 'SpendSequenceTooOld'],
  ['session index', args({ session_index: 9n }), 'SessionMismatch'],
  ['signer', unsigned('authority'), 'AccountNotSigner', 'authority'],
  ['session', flipped('session', 9), 'ConstraintSeeds', 'session'],
  ['vault', flipped('vault', 9), 'ConstraintSeeds', 'vault'],
];

function args(change: Record<string, bigint>): Mutator {
  return withArgs(() => change);
}

function sessionOfAnotherKey(world: World): PublicKey {
  const session = sessionAddress(world.vault, world.stranger.publicKey);
  run(world, addSession({ ...world, sessionKey: world.stranger, session }));
  return session;
}
