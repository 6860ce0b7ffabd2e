import { TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { run } from './call.ts';
import { addSession, revokeSession, setPaused, transferUsdc } from './calls.ts';
import { DAY, FIRST_INDEX, NOW, setClock, U64_MAX } from './chain.ts';
import type { Refusal } from './expect.ts';
import { another, failing, faulty, flippedAt, strangerKey, swapped } from './faults.ts';
import {
  after,
  both,
  cutOff,
  edited,
  type Mutator,
  replaced,
  signedBy,
  unsigned,
  withArgs,
  withData,
  withoutLastAccount,
} from './mutators.ts';
import { sessionIndex } from './session-indexes.ts';
import { sessionAddress, strangersWorld, wallets, type World } from './world.ts';

/** Refusals of every instruction. */
export const refusalsOfCall: readonly Refusal[] = [
  ...another('ConstraintSeeds', 'event_authority'),
  ...another('InvalidProgramId', 'program'),
  ...failing('AccountNotEnoughKeys', { 'an account is missing': withoutLastAccount }),
  ...failing('InstructionDidNotDeserialize', {
    'a byte follows the arguments': withData((data) => Buffer.concat([data, Buffer.of(0)])),
  }),
];

/** Refusals of every instruction that has arguments. */
export const refusalsOfArguments = failing('InstructionDidNotDeserialize', {
  'the arguments are cut off': cutOff,
});

export const refusalsOfTokenProgram = swapped('token_program', 'InvalidProgramId', {
  'Token-2022': () => TOKEN_2022_PROGRAM_ID,
});

/** Refusals of every instruction by which an owner changes a vault that exists. */
export const refusalsOfOwnedVault: readonly Refusal[] = [
  ...faulty('owner', 'unsigned'),
  ...failing(
    'ConstraintHasOne',
    {
      'another owner signs': signedBy('owner', (w) => w.stranger),
      'the session key signs': signedBy('owner', (w) => w.sessionKey),
    },
    'vault',
  ),
  ...faulty('vault', 'missing', 'dust', 'foreign', 'discriminator', 'version', 'longer'),
  ...refusalsOfCall,
];

const refusalsOfSession: readonly Refusal[] = [
  ...faulty('session', 'readonly', 'missing', 'dust', 'foreign', 'version'),
  ...failing(
    'AccountNotInitialized',
    { 'the session was revoked': after((w) => run(w, revokeSession(w))) },
    'session',
  ),
  ...swapped('session', 'AccountDiscriminatorMismatch', { 'the vault': (w) => w.vault }),
  ...swapped('session', 'ConstraintHasOne', { 'that of another vault': sessionOfAnotherVault }),
];

/** Refusals of every instruction by which an owner changes a session that exists. */
export const refusalsOfOwnedSession: readonly Refusal[] = [
  ...refusalsOfOwnedVault,
  ...refusalsOfSession,
  ...failing('SessionMismatch', {
    'the session index is the next one': withArgs((w) => ({ session_index: sessionIndex(w) + 1n })),
    'the session index is the largest': withArgs({ session_index: U64_MAX }),
  }),
];

const passedDeadline: Refusal = ['deadline', withArgs({ deadline: NOW - 1n }), 'DeadlinePassed'];

/** The checks of an owner's grant before its own rules, from the last to the first. */
export const firstChecksOfGrant: readonly Refusal[] = [
  passedDeadline,
  ['program', replaced('program', strangerKey), 'InvalidProgramId', 'program'],
  ['owner', unsigned('owner'), 'AccountNotSigner', 'owner'],
];

/** Refusals of every instruction with a deadline. */
export const refusalsOfDeadline: readonly Refusal[] = failing('DeadlinePassed', {
  'the deadline was a second ago': withArgs({ deadline: NOW - 1n }),
  'the deadline is negative': withArgs({ deadline: -1n }),
  'the deadline passed between signing and landing': both(
    withArgs({ deadline: NOW + 5n }),
    after((w) => setClock(w.svm, NOW + 6n)),
  ),
});

/** Refusals of every instruction that takes the limits of a session. */
export const refusalsOfLimits: readonly Refusal[] = [
  ...failing('InvalidAmount', {
    'the maximum per transfer is zero': withArgs({ max_per_tx: 0n }),
    'the daily cap is zero': withArgs({ daily_cap: 0n }),
  }),
  ...failing('InvalidExpiry', {
    'the expiry is now': withArgs({ expiry: NOW }),
    'the expiry is past': withArgs({ expiry: -1n }),
    'the expiry passed between signing and landing': both(
      withArgs({ expiry: NOW + 5n }),
      after((w) => setClock(w.svm, NOW + 5n)),
    ),
  }),
  ...failing('UnknownInstructionBit', {
    'an instruction bit is unknown': withArgs({ allowed_instructions: 8 }),
    'the highest instruction bit is set': withArgs({ allowed_instructions: 0x8001 }),
  }),
];

/** Refusals of every instruction that takes the recipients of a session. */
export const refusalsOfRecipients: readonly Refusal[] = [
  ...failing('TooManyRecipients', { 'there are 11 recipients': listing(() => wallets(11)) }),
  ...failing('DuplicateRecipient', {
    'a recipient is listed twice in a row': listing((w) => [w.recipient, w.recipient]),
    'a recipient is listed first and last': listing((w) => [
      w.recipient,
      ...wallets(3),
      w.recipient,
    ]),
  }),
  ...failing('RecipientForbidden', {
    'a recipient is the zero address': listing(() => [PublicKey.default]),
    'a recipient is the vault': listing((w) => [w.vault]),
    'the second recipient is the vault': listing((w) => [w.recipient, w.vault]),
    'a recipient is the token account of the vault': listing((w) => [w.vaultTokenAccount]),
    'a recipient is the session key': listing((w) => [w.sessionKey.publicKey]),
  }),
];

/** Refusals of every instruction that a session key signs under the name `signer`. */
export function refusalsOfSpend(signer: 'session_key' | 'authority'): readonly Refusal[] {
  return [
    ...faulty(signer, 'unsigned'),
    ...failing(
      'ConstraintHasOne',
      { 'the owner signs with the session': signedBy(signer, (w) => w.owner) },
      'session',
    ),
    ...faulty('vault', 'missing', 'foreign', 'version'),
    ...swapped('vault', 'AccountDiscriminatorMismatch', { 'the session': (w) => w.session }),
    ...swapped(
      'vault',
      'ConstraintHasOne',
      { 'that of another owner': (w) => strangersWorld(w).vault },
      'session',
    ),
    ...refusalsOfSession,
    ...failing(
      'ConstraintHasOne',
      { 'the session names another vault': flippedAt(48)('session') },
      'session',
    ),
    ...swapped('session', 'ConstraintHasOne', { 'that of another key': sessionOfAnotherKey }),
    ...failing('SessionMismatch', {
      'the session index is another': withArgs({ session_index: FIRST_INDEX + 1n }),
    }),
    ...failing('SpendSequenceTooOld', {
      'the sequence number is zero': withArgs({ spend_seq: 0n }),
    }),
    ...failing('SpendSequenceTooFar', {
      'the sequence number is too far ahead': withArgs({ spend_seq: U64_MAX }),
    }),
    ...failing('SpendAlreadyExecuted', {
      'a transfer used the sequence number': both(
        withArgs({ spend_seq: 7n }),
        after((w) => run(w, transferUsdc(w, { spend_seq: 7n }))),
      ),
    }),
    ...failing('VaultPaused', { 'the vault is paused': paused }),
    ...failing('SessionExpired', {
      'the session has expired': after((w) => setClock(w.svm, NOW + 31n * DAY)),
    }),
    ...failing('InvalidAmount', { 'the amount is zero': withArgs({ amount: 0n }) }),
    ...faulty('vault_token_account', 'readonly', 'duplicate', 'missing'),
    ...another('ConstraintAddress', 'usdc_mint'),
    ...refusalsOfTokenProgram,
    ...refusalsOfCall,
    ...refusalsOfArguments,
  ];
}

/**
 * The checks that every spend passes first, from the last to the first. A movement of yield, which
 * an `authority` signs, has a deadline as well.
 */
export function firstChecksOfSpend(
  signer: 'session_key' | 'authority',
  instructionBit: number,
): readonly Refusal[] {
  return [
    ['amount', withArgs({ amount: 0n }), 'InvalidAmount'],
    ...(signer === 'authority' ? [passedDeadline] : []),
    ['instruction bit', allowing(7 ^ instructionBit), 'InstructionNotAllowed'],
    ['expiry', edited('session', (data) => data.writeBigInt64LE(1n, 40)), 'SessionExpired'],
    ['pause', paused, 'VaultPaused'],
    ['sequence number', withArgs({ spend_seq: 0n }), 'SpendSequenceTooOld'],
    ['session index', withArgs({ session_index: 9n }), 'SessionMismatch'],
    ['signer', unsigned(signer), 'AccountNotSigner', signer],
    ['session', flippedAt(8)('session'), 'AccountDidNotDeserialize', 'session'],
    ['vault', flippedAt(8)('vault'), 'AccountDidNotDeserialize', 'vault'],
  ];
}

/** The session has these instruction bits. */
export function allowing(instructionBits: number): Mutator {
  return edited('session', (data) => data.writeUInt16LE(instructionBits, 10));
}

export const paused: Mutator = after((w) => run(w, setPaused(w, true)));

function listing(choose: (world: World) => readonly PublicKey[]): Mutator {
  return withArgs((w) => ({ recipients: choose(w) }));
}

function sessionOfAnotherVault(world: World): PublicKey {
  const other = strangersWorld(world);
  run(other, addSession(other));
  return other.session;
}

function sessionOfAnotherKey(world: World): PublicKey {
  const session = sessionAddress(world.vault, strangerKey(world));
  run(world, addSession({ ...world, sessionKey: world.stranger, session }));
  return session;
}
