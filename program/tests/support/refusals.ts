import type { PublicKey } from '@solana/web3.js';
import {
  addSession,
  after,
  both,
  initVault,
  type Mutator,
  readonly,
  replaced,
  revokeSession,
  run,
  signedBy,
  unsigned,
  withArgs,
  withData,
  withoutLastAccount,
} from './calls.ts';
import {
  editData,
  getAccount,
  NOW,
  removeAccount,
  setAccount,
  setClock,
  tokenAddress,
} from './chain.ts';
import type { Refusal } from './expect.ts';
import { reserveAccounts } from './reserve.ts';
import { sessionAddress, vaultAddress, type World, yieldAddress } from './world.ts';

/** Refusals of every instruction by which an owner changes a vault that exists. */
export const refusalsOfOwnedVault: readonly Refusal[] = [
  ['the owner does not sign', unsigned('owner'), 'AccountNotSigner', 'owner'],
  ['another owner signs', signedBy('owner', (w) => w.stranger), 'ConstraintHasOne', 'vault'],
  ['the session key signs', signedBy('owner', (w) => w.sessionKey), 'ConstraintHasOne', 'vault'],
  ['the vault is missing', removed((w) => w.vault), 'AccountNotInitialized', 'vault'],
  [
    'the vault is missing and its address holds dust',
    removed((w) => w.vault, 5n),
    'AccountNotInitialized',
    'vault',
  ],
  [
    'the vault is an account of another program',
    after((w) => setAccount(w.svm, w.vault, { owner: w.stranger.publicKey })),
    'AccountOwnedByWrongProgram',
    'vault',
  ],
  [
    'the vault has another discriminator',
    flipped('vault', 0),
    'AccountDiscriminatorMismatch',
    'vault',
  ],
  ['the vault has another version', flipped('vault', 8), 'AccountDidNotDeserialize', 'vault'],
  [
    'the vault has another length',
    after((w) => lengthen(w, w.vault)),
    'AccountDidNotDeserialize',
    'vault',
  ],
  ['the vault is not at its address', flipped('vault', 9), 'ConstraintSeeds', 'vault'],
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
    'a byte follows the arguments',
    withData((data) => Buffer.concat([data, Buffer.of(0)])),
    'InstructionDidNotDeserialize',
  ],
];

/** Refusals of every instruction by which an owner changes a session that exists. */
export const refusalsOfOwnedSession: readonly Refusal[] = [
  ...refusalsOfOwnedVault,
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
  ['the session has another version', flipped('session', 8), 'AccountDidNotDeserialize', 'session'],
  ['the session is not at its address', flipped('session', 9), 'ConstraintSeeds', 'session'],
  [
    'the session is that of another vault',
    replaced('session', sessionOfAnotherVault),
    'ConstraintHasOne',
    'session',
  ],
];

/** Refusals of every instruction that takes the limits of a session. */
export const refusalsOfLimits: readonly Refusal[] = [
  ['nothing may be spent at once', withArgs(() => ({ max_per_tx: 0n })), 'InvalidAmount'],
  ['nothing may be spent in a day', withArgs(() => ({ daily_cap: 0n })), 'InvalidAmount'],
  ['the expiry is now', withArgs(() => ({ expiry: NOW })), 'InvalidExpiry'],
  ['the expiry is past', withArgs(() => ({ expiry: -1n })), 'InvalidExpiry'],
  [
    'the expiry was ahead when it was chosen',
    both(
      withArgs(() => ({ expiry: NOW + 5n })),
      after((w) => setClock(w.svm, NOW + 5n)),
    ),
    'InvalidExpiry',
  ],
  [
    'an instruction bit is unknown',
    withArgs(() => ({ allowed_instructions: 8 })),
    'UnknownInstructionBit',
  ],
  [
    'the highest instruction bit is set',
    withArgs(() => ({ allowed_instructions: 0x8001 })),
    'UnknownInstructionBit',
  ],
];

/** The account is gone but for `dust` lamports. */
export function removed(choose: (world: World) => PublicKey, dust = 0n): Mutator {
  return after((world) => removeAccount(world.svm, choose(world), dust));
}

/** One bit of an account of this program is another. */
export function flipped(name: 'vault' | 'session', offset: number): Mutator {
  return after((world) =>
    editData(world.svm, world[name], (data) => data.writeUInt8(data.readUInt8(offset) ^ 1, offset)),
  );
}

/** A world like `world` whose owner is the stranger, who has a vault there. */
export function strangersWorld(world: World): World {
  const vault = vaultAddress(world.stranger.publicKey);
  const session = sessionAddress(vault, world.sessionKey.publicKey);
  const vaultTokenAccount = tokenAddress(vault);
  const yieldAuthority = yieldAddress(vault);
  const other = {
    ...world,
    owner: world.stranger,
    vault,
    session,
    vaultTokenAccount,
    yieldAuthority,
    transit: tokenAddress(yieldAuthority),
    collateral: tokenAddress(yieldAuthority, reserveAccounts.reserve_collateral_mint),
  };
  run(other, initVault(other));
  return other;
}

function sessionOfAnotherVault(world: World): PublicKey {
  const other = strangersWorld(world);
  run(other, addSession(other));
  return other.session;
}

function lengthen(world: World, address: PublicKey): void {
  const data = getAccount(world.svm, address)?.data ?? Buffer.alloc(0);
  setAccount(world.svm, address, { data: Buffer.concat([data, Buffer.of(0)]) });
}
