/** Instructions of the upgradeable loader: a u32 tag in bincode, then the fields. */

import {
  PublicKey,
  SystemProgram,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  TransactionInstruction,
} from '@solana/web3.js';

export const LOADER = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111');
/** Of a buffer account, before the program's bytes. */
export const BUFFER_HEADER_BYTES = 37;
export const PROGRAM_BYTES = 36;
/** The loader extends by no less. */
export const MIN_EXTENSION_BYTES = 10_240;

type Key = readonly [key: PublicKey, access: 'read' | 'write' | 'sign' | 'sign and write'];

function instruction(tag: number, keys: readonly Key[], fields: Uint8Array = new Uint8Array()) {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(tag);
  return new TransactionInstruction({
    programId: LOADER,
    keys: keys.map(([pubkey, access]) => ({
      pubkey,
      isSigner: access.startsWith('sign'),
      isWritable: access.endsWith('write'),
    })),
    data: Buffer.concat([head, fields]),
  });
}

export const programDataOf = (program: PublicKey): PublicKey =>
  PublicKey.findProgramAddressSync([program.toBytes()], LOADER)[0];

export const initializeBuffer = (buffer: PublicKey, authority: PublicKey) =>
  instruction(0, [
    [buffer, 'write'],
    [authority, 'read'],
  ]);

export function writeBuffer(
  buffer: PublicKey,
  authority: PublicKey,
  offset: number,
  bytes: Uint8Array,
): TransactionInstruction {
  const fields = Buffer.alloc(12);
  fields.writeUInt32LE(offset);
  fields.writeBigUInt64LE(BigInt(bytes.length), 4);
  const keys: readonly Key[] = [
    [buffer, 'write'],
    [authority, 'sign'],
  ];
  return instruction(1, keys, Buffer.concat([fields, bytes]));
}

/** Makes the program from a buffer, with room for `maxBytes`. */
export function deployBuffer(
  { program, buffer }: { readonly program: PublicKey; readonly buffer: PublicKey },
  authority: PublicKey,
  maxBytes: number,
): TransactionInstruction {
  const fields = Buffer.alloc(8);
  fields.writeBigUInt64LE(BigInt(maxBytes));
  const keys: readonly Key[] = [
    [authority, 'sign and write'],
    [programDataOf(program), 'write'],
    [program, 'write'],
    [buffer, 'write'],
    [SYSVAR_RENT_PUBKEY, 'read'],
    [SYSVAR_CLOCK_PUBKEY, 'read'],
    [SystemProgram.programId, 'read'],
    [authority, 'sign'],
  ];
  return instruction(2, keys, fields);
}

/** Replaces the program by a buffer, whose rent goes to the authority. */
export const upgradeProgram = (
  { program, buffer }: { readonly program: PublicKey; readonly buffer: PublicKey },
  authority: PublicKey,
) =>
  instruction(3, [
    [programDataOf(program), 'write'],
    [program, 'write'],
    [buffer, 'write'],
    [authority, 'write'],
    [SYSVAR_RENT_PUBKEY, 'read'],
    [SYSVAR_CLOCK_PUBKEY, 'read'],
    [authority, 'sign'],
  ]);

/** `account`: a buffer, or the data account of a program. The new authority does not sign. */
export const setAuthority = (account: PublicKey, authority: PublicKey, next: PublicKey) =>
  instruction(4, [
    [account, 'write'],
    [authority, 'sign'],
    [next, 'read'],
  ]);

/**
 * Gives a program room for more bytes, at the expense of its authority: as clusters do it that ask
 * for the authority's signature, and as the others do. Each of them refuses the other form.
 */
export function extendProgram(
  program: PublicKey,
  authority: PublicKey,
  bytes: number,
): { readonly withAuthority: TransactionInstruction; readonly without: TransactionInstruction } {
  const fields = Buffer.alloc(4);
  fields.writeUInt32LE(bytes);
  const accounts: readonly Key[] = [
    [programDataOf(program), 'write'],
    [program, 'write'],
  ];
  const payment: readonly Key[] = [
    [SystemProgram.programId, 'read'],
    [authority, 'sign and write'],
  ];
  return {
    withAuthority: instruction(9, [...accounts, [authority, 'sign'], ...payment], fields),
    without: instruction(6, [...accounts, ...payment], fields),
  };
}
