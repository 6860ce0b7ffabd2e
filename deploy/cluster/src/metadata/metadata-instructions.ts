/**
 * Instructions of the Program Metadata program for a canonical IDL. They are written here because its
 * package needs an older `@solana/kit`; the tests compare with bytes that the package made.
 */

import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { programDataOf } from '../loader/loader-instructions.ts';

export const METADATA_PROGRAM = new PublicKey('ProgM6JCCvbYkfKqJYHePx4xxSUSqJp7rh8Lyv7nk7S');
export const METADATA_HEADER_BYTES = 96;

/** The name under which tools look for an IDL, padded to 16 bytes. */
const IDL_SEED = Buffer.from('idl'.padEnd(16, '\0'));
/** UTF-8, zlib, JSON, in the account itself. */
const IDL_FORMAT = Buffer.from([1, 2, 1, 0]);

type Access = '' | 'w' | 's';

const instruction = (
  tag: number,
  keys: readonly (readonly [PublicKey, Access])[],
  fields: Uint8Array = new Uint8Array(),
): TransactionInstruction =>
  new TransactionInstruction({
    programId: METADATA_PROGRAM,
    keys: keys.map(([pubkey, access]) => ({
      pubkey,
      isSigner: access === 's',
      isWritable: access === 'w',
    })),
    data: Buffer.concat([Buffer.from([tag]), fields]),
  });

export const idlAddressOf = (program: PublicKey): PublicKey =>
  PublicKey.findProgramAddressSync([program.toBytes(), IDL_SEED], METADATA_PROGRAM)[0];

/** Who may change the IDL of a program: its upgrade authority. */
type Owned = { readonly program: PublicKey; readonly authority: PublicKey };

/** Makes the account of the IDL, which already holds its rent. */
export const allocateIdl = ({ program, authority }: Owned) =>
  instruction(
    7,
    [
      [idlAddressOf(program), 'w'],
      [authority, 's'],
      [program, ''],
      [programDataOf(program), ''],
      [SystemProgram.programId, ''],
    ],
    IDL_SEED,
  );

export function writeData(
  account: PublicKey,
  authority: PublicKey,
  offset: number,
  bytes: Uint8Array,
): TransactionInstruction {
  const fields = Buffer.alloc(4);
  fields.writeUInt32LE(offset);
  const keys: readonly (readonly [PublicKey, Access])[] = [
    [account, 'w'],
    [authority, 's'],
    [METADATA_PROGRAM, ''],
  ];
  return instruction(0, keys, Buffer.concat([fields, bytes]));
}

/** Makes the written bytes the IDL. */
export const initializeIdl = ({ program, authority }: Owned) =>
  instruction(
    1,
    [
      [idlAddressOf(program), 'w'],
      [authority, 's'],
      [program, ''],
      [programDataOf(program), ''],
      [METADATA_PROGRAM, ''],
    ],
    Buffer.concat([IDL_SEED, IDL_FORMAT]),
  );

/** A buffer of its own key; `setBufferAuthority` gives it away. */
export const allocateBuffer = (buffer: PublicKey) =>
  instruction(7, [
    [buffer, 'w'],
    [buffer, 's'],
    [METADATA_PROGRAM, ''],
    [METADATA_PROGRAM, ''],
    [SystemProgram.programId, ''],
  ]);

export const setBufferAuthority = (buffer: PublicKey, authority: PublicKey) =>
  instruction(
    2,
    [
      [buffer, 'w'],
      [buffer, 's'],
      [METADATA_PROGRAM, ''],
      [METADATA_PROGRAM, ''],
    ],
    Buffer.concat([Buffer.from([1]), authority.toBytes()]),
  );

/** Replaces the IDL by a buffer. */
export const setIdl = ({ program, authority }: Owned, buffer: PublicKey) =>
  instruction(
    3,
    [
      [idlAddressOf(program), 'w'],
      [authority, 's'],
      [buffer, 'w'],
      [program, ''],
      [programDataOf(program), ''],
    ],
    IDL_FORMAT,
  );

/** Closes a buffer; its rent goes to the authority. */
export const closeBuffer = (buffer: PublicKey, authority: PublicKey) =>
  instruction(6, [
    [buffer, 'w'],
    [authority, 's'],
    [METADATA_PROGRAM, ''],
    [METADATA_PROGRAM, ''],
    [authority, 'w'],
  ]);
