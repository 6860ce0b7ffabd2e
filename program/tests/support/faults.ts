import { TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import { accountIn } from './call.ts';
import { getAccount, setAccount } from './chain.ts';
import type { Refusal } from './expect.ts';
import {
  after,
  both,
  changed,
  edited,
  type Mutator,
  readonly,
  removed,
  replaced,
  unsigned,
} from './mutators.ts';
import type { World } from './world.ts';

/** What can be wrong with one account: in words, the mutator that causes it, and the error. */
const FAULTS = {
  unsigned: ['does not sign', unsigned, 'AccountNotSigner'],
  readonly: ['is not writable', readonly, 'ConstraintMut'],
  missing: ['is missing', (name) => removed(name), 'AccountNotInitialized'],
  dust: [
    'is missing and its address holds dust',
    (name) => removed(name, 5n),
    'AccountNotInitialized',
  ],
  foreign: [
    'belongs to another program',
    (name) => changed(name, (_data, w) => ({ owner: w.stranger.publicKey })),
    'AccountOwnedByWrongProgram',
  ],
  token2022: [
    'belongs to Token-2022',
    (name) => changed(name, () => ({ owner: TOKEN_2022_PROGRAM_ID })),
    'AccountOwnedByWrongProgram',
  ],
  discriminator: ['has another discriminator', flippedAt(0), 'AccountDiscriminatorMismatch'],
  version: ['has another version', flippedAt(8), 'AccountDidNotDeserialize'],
  longer: [
    'is one byte too long',
    (name) => changed(name, (data) => ({ data: Buffer.concat([data, Buffer.of(0)]) })),
    'AccountDidNotDeserialize',
  ],
  mintSized: [
    'has the length of a mint',
    (name) => changed(name, () => ({ data: Buffer.alloc(82) })),
    'AccountDidNotDeserialize',
  ],
  duplicate: ['is another token account of the same wallet', copied, 'ConstraintAssociated'],
  handedOver: [
    'was handed to another owner',
    (name) => edited(name, (data, w) => strangerKey(w).toBuffer().copy(data, 32)),
    'ConstraintTokenOwner',
  ],
  otherMint: [
    'is of another mint',
    (name) => edited(name, (data, w) => strangerKey(w).toBuffer().copy(data, 0)),
    'ConstraintTokenMint',
  ],
  delegated: ['has a delegate', setU32(72), 'TokenAccountDelegated'],
  closable: ['has a close authority', setU32(129), 'TokenAccountCloseAuthority'],
  frozen: [
    'is frozen',
    (name) => edited(name, (data) => data.writeUInt8(2, 108)),
    'TokenAccountFrozen',
  ],
} satisfies Record<string, readonly [string, (account: string) => Mutator, string]>;

/** One refusal for each of these faults of an account. */
export function faulty(account: string, ...faults: (keyof typeof FAULTS)[]): readonly Refusal[] {
  return faults.map((fault): Refusal => {
    const [words, spoil, error] = FAULTS[fault];
    return [`the ${inWords(account)} ${words}`, spoil(account), error, account];
  });
}

/** One refusal for each address in the place of an account; the key completes the sentence. */
export function swapped(
  account: string,
  error: string,
  choices: Readonly<Record<string, (world: World) => PublicKey>>,
  blamed: string | null = account,
): readonly Refusal[] {
  return Object.entries(choices).map(([words, choose]): Refusal => [
    `the ${inWords(account)} is ${words}`,
    replaced(account, choose),
    error,
    blamed ?? undefined,
  ]);
}

/** A stranger's address in the place of each of these accounts. */
export function another(error: string, ...accounts: string[]): readonly Refusal[] {
  return accounts.flatMap((account) => swapped(account, error, { another: strangerKey }));
}

/** One refusal with this error for each behaviour. */
export function failing(
  error: string,
  behaviours: Readonly<Record<string, Mutator>>,
  account?: string,
): readonly Refusal[] {
  return Object.entries(behaviours).map(([behaviour, mutate]): Refusal => [
    behaviour,
    mutate,
    error,
    account,
  ]);
}

function inWords(account: string): string {
  return account.replaceAll('_', ' ');
}

export function strangerKey(world: World): PublicKey {
  return world.stranger.publicKey;
}

/** One bit of the account's data is another. */
export function flippedAt(offset: number): (account: string) => Mutator {
  return (name) => edited(name, (data) => data.writeUInt8(data.readUInt8(offset) ^ 1, offset));
}

function setU32(offset: number): (account: string) => Mutator {
  return (name) => edited(name, (data) => data.writeUInt32LE(1, offset));
}

/** A copy of the account at the stranger's address takes its place. */
function copied(name: string): Mutator {
  return both(
    after((w, call) => {
      const account = getAccount(w.svm, accountIn(call, name));
      if (account === null) throw new Error(`no ${name} to copy`);
      setAccount(w.svm, strangerKey(w), account);
    }),
    replaced(name, strangerKey),
  );
}
