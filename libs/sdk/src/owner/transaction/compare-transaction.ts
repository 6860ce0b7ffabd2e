import { type ByteReader, readBytes } from './byte-reader.ts';
import type {
  ArgValue,
  DecodedInstruction,
  ExpectedArg,
  ExpectedInstruction,
  Rights,
} from './expected-instruction.ts';
import { mismatch } from './mismatch.ts';
import type { MessageAccount, MessageInstruction, ReadTransaction } from './read-transaction.ts';

/** The API gives owners 10 minutes; the rest is for clocks that differ. */
const MAX_DEADLINE_SECONDS = 15n * 60n;

/**
 * Compares a transaction with what it must be: the owner as fee payer and only signer, these
 * instructions and no other, every account with its rights, every argument. Returns the instructions
 * decoded; throws `TRANSACTION_MISMATCH` with the first difference.
 */
export function compareTransaction(
  { accounts, instructions }: ReadTransaction,
  expected: {
    readonly owner: string;
    readonly instructions: readonly ExpectedInstruction[];
    /** The time of day. */
    readonly nowMs: number;
  },
): readonly DecodedInstruction[] {
  expectSame('fee payer', accounts[0]?.address, expected.owner);
  const nowSeconds = BigInt(Math.floor(expected.nowMs / 1_000));
  const decoded = expected.instructions.map((wanted, place) =>
    compareInstruction(instructions[place], wanted, nowSeconds),
  );
  const surplus = instructions[expected.instructions.length];
  if (surplus !== undefined) {
    throw mismatch('instructions', `contain a further one, to program ${surplus.programId}`);
  }
  compareRights(accounts, expected.owner, expected.instructions);
  return decoded;
}

function compareInstruction(
  found: MessageInstruction | undefined,
  wanted: ExpectedInstruction,
  nowSeconds: bigint,
): DecodedInstruction {
  const { name } = wanted;
  if (found === undefined) throw mismatch(name, 'is missing');
  expectSame(`${name}: program`, found.programId, wanted.programId);
  const data = readBytes(found.data, `${name}: data`);
  const discriminator = [...data.take(wanted.discriminator.length)];
  expectSame(`${name}: discriminator`, discriminator.join(), wanted.discriminator.join());
  wanted.accounts.forEach((account, place) => {
    expectSame(`${name}: account ${account.name}`, found.accounts[place], account.address);
  });
  expectSame(
    `${name}: number of accounts`,
    String(found.accounts.length),
    String(wanted.accounts.length),
  );
  const args = wanted.args.map((arg) => {
    const value = readArg(data, arg);
    compareArg(`${name}: ${arg.name}`, value, arg, nowSeconds);
    return [arg.name, value] as const;
  });
  data.end();
  return { name, args: Object.fromEntries(args) };
}

function readArg(data: ByteReader, { name, type }: ExpectedArg): ArgValue {
  switch (type) {
    case 'u16':
      return data.unsigned(2);
    case 'u64':
      return data.unsigned(8);
    case 'i64':
      return data.signed(8);
    case 'bool': {
      const value = data.byte();
      if (value > 1) throw mismatch(name, 'is not a boolean');
      return value === 1;
    }
    case 'pubkey':
      return data.address();
    case 'bytes16':
      return hexOf(data.take(16));
    case 'pubkeys': {
      const count = data.unsigned(4);
      if (count > 32n) throw mismatch(name, `has ${count} entries`);
      return Array.from({ length: Number(count) }, () => data.address());
    }
  }
}

function compareArg(place: string, value: ArgValue, arg: ExpectedArg, nowSeconds: bigint): void {
  if (!('rule' in arg)) {
    expectSame(place, textOf(value), textOf(arg.value));
  } else if (arg.rule === 'deadline' && typeof value === 'bigint') {
    const latest = nowSeconds + MAX_DEADLINE_SECONDS;
    if (value > latest) {
      throw mismatch(
        place,
        `is ${value}, more than 15 minutes after ${nowSeconds}, the time of this machine: a signature could be held back and used later`,
      );
    }
  }
}

/** An account has the rights of all its uses; the runtime gives them to every instruction. */
function compareRights(
  accounts: readonly MessageAccount[],
  owner: string,
  instructions: readonly ExpectedInstruction[],
): void {
  const rights = new Map<string, { isSigner: boolean; isWritable: boolean }>();
  const use = (address: string, given: Rights): void => {
    const known = rights.get(address);
    rights.set(address, {
      isSigner: given.endsWith('signer') || known?.isSigner === true,
      isWritable: given.startsWith('writable') || known?.isWritable === true,
    });
  };
  use(owner, 'writable signer');
  for (const instruction of instructions) {
    use(instruction.programId, 'readonly');
    for (const { address, rights: given } of instruction.accounts) use(address, given);
  }
  for (const { address, isSigner, isWritable } of accounts) {
    const wanted = rights.get(address);
    if (wanted === undefined) throw mismatch('accounts', `contain ${address}, which is not needed`);
    expectSame(`signer ${address}`, String(isSigner), String(wanted.isSigner));
    expectSame(`writable ${address}`, String(isWritable), String(wanted.isWritable));
  }
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const textOf = (value: ArgValue): string =>
  typeof value === 'object' ? `[${value.join(', ')}]` : String(value);

function expectSame(place: string, found: string | undefined, wanted: string): void {
  if (found !== wanted) throw mismatch(place, `is ${found ?? 'missing'}, expected ${wanted}`);
}
