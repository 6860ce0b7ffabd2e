import bs58 from 'bs58';
import { bytesOf } from './addresses.ts';
import type { ArgValue, ExpectedArg, ExpectedInstruction } from './expected-instruction.ts';

const EMPTY_SIGNATURE = new Uint8Array(64);

type Rights = { readonly isSigner: boolean; readonly isWritable: boolean };

/**
 * The unsigned transaction that consists of these instructions, in wire form: a legacy message with
 * the owner as fee payer. Every argument is given but deadlines, which are `deadline` (unix seconds).
 */
export function composeTransaction(
  instructions: readonly ExpectedInstruction[],
  given: { readonly owner: string; readonly blockhash: string; readonly deadline: bigint },
): Uint8Array {
  const accounts = orderAccounts(instructions, given.owner);
  const indexOf = (address: string): number =>
    accounts.findIndex((account) => account.address === address);
  const signers = accounts.filter(({ isSigner }) => isSigner).length;
  const readonly = accounts.filter(({ isSigner, isWritable }) => !isSigner && !isWritable).length;
  const compiled = instructions.flatMap((instruction) => {
    const used = instruction.accounts.map(({ address }) => indexOf(address));
    const data = [
      ...instruction.discriminator,
      ...instruction.args.flatMap((arg) => writeArg(arg, given.deadline)),
    ];
    return [
      indexOf(instruction.programId),
      ...length(used.length),
      ...used,
      ...length(data.length),
      ...data,
    ];
  });
  return Uint8Array.from([
    1,
    ...EMPTY_SIGNATURE,
    signers,
    0,
    readonly,
    ...length(accounts.length),
    ...accounts.flatMap(({ address }) => [...bytesOf(address)]),
    ...bs58.decode(given.blockhash),
    ...length(instructions.length),
    ...compiled,
  ]);
}

/** The fee payer, the writable accounts, the readonly ones; each with the rights of all its uses. */
function orderAccounts(
  instructions: readonly ExpectedInstruction[],
  owner: string,
): readonly (Rights & { readonly address: string })[] {
  const rights = new Map<string, Rights>([[owner, { isSigner: true, isWritable: true }]]);
  for (const { programId, accounts } of instructions) {
    for (const account of [...accounts, { address: programId, rights: 'readonly' as const }]) {
      const known = rights.get(account.address);
      rights.set(account.address, {
        isSigner: account.rights.endsWith('signer') || known?.isSigner === true,
        isWritable: account.rights.startsWith('writable') || known?.isWritable === true,
      });
    }
  }
  const rank = ({ isSigner, isWritable }: Rights): number =>
    (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
  return Array.from(rights, ([address, has]) => ({ address, ...has })).toSorted(
    (a, b) => rank(a) - rank(b),
  );
}

/** A length in Solana's compact form; none here reaches the third byte. */
const length = (count: number): readonly number[] =>
  count < 0x80 ? [count] : [(count & 0x7f) | 0x80, count >> 7];

function writeArg(arg: ExpectedArg, deadline: bigint): readonly number[] {
  if (!('rule' in arg)) return writeValue(arg.type, arg.value);
  if (arg.rule === 'deadline') return littleEndian(deadline, 8);
  throw new Error(`${arg.name} has no value`);
}

function writeValue(type: ExpectedArg['type'], value: ArgValue): readonly number[] {
  switch (typeof value) {
    case 'boolean':
      return [value ? 1 : 0];
    case 'bigint':
      return littleEndian(value, type === 'u16' ? 2 : 8);
    case 'string':
      return type === 'bytes16'
        ? Array.from({ length: 16 }, (_, at) =>
            Number.parseInt(value.slice(2 * at, 2 * at + 2), 16),
          )
        : [...bytesOf(value)];
    default:
      return [
        ...littleEndian(BigInt(value.length), 4),
        ...value.flatMap((address) => [...bytesOf(address)]),
      ];
  }
}

const littleEndian = (value: bigint, bytes: number): readonly number[] =>
  Array.from({ length: bytes }, (_, at) => Number((value >> BigInt(8 * at)) & 0xffn));
