import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { METADATA } from '../../fixtures/metadata-bytes.ts';
import {
  allocateBuffer,
  allocateIdl,
  closeBuffer,
  idlAddressOf,
  initializeIdl,
  METADATA_PROGRAM,
  setBufferAuthority,
  setIdl,
  writeData,
} from './metadata-instructions.ts';

const program = new PublicKey(METADATA.program);
const authority = new PublicKey(METADATA.authority);
const buffer = new PublicKey(METADATA.buffer);
const owned = { program, authority };

const shown = ({ data, keys }: TransactionInstruction) => ({
  data: data.toString('hex'),
  accounts: keys.map(({ pubkey, isSigner, isWritable }) => [
    pubkey.toBase58(),
    `${isWritable ? 'w' : ''}${isSigner ? 's' : ''}`,
  ]),
});

test('an IDL has the address that the package of Program Metadata derives', () => {
  expect(METADATA_PROGRAM.toBase58()).toBe(METADATA.programAddress);
  expect(idlAddressOf(program).toBase58()).toBe(METADATA.metadata);
});

test.each([
  ['allocate', allocateIdl(owned)],
  ['allocateBuffer', allocateBuffer(buffer)],
  ['setAuthority', setBufferAuthority(buffer, authority)],
  ['write', writeData(idlAddressOf(program), authority, 900, Uint8Array.of(1, 2, 3))],
  ['initialize', initializeIdl(owned)],
  ['setData', setIdl(owned, buffer)],
  ['close', closeBuffer(buffer, authority)],
] as const)('the instruction %s is that of the package of Program Metadata', (name, made) => {
  expect(made.programId.toBase58()).toBe(METADATA.programAddress);
  expect(shown(made)).toEqual(METADATA.instructions[name]);
});
