import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { SQUADS } from '../../fixtures/squads-bytes.ts';
import { bytesOfAddress } from '../program/addresses.ts';
import {
  hashProgram,
  parseFinalProgram,
  parseProgramData,
  programDataAddress,
  UPGRADEABLE_LOADER,
} from './program-code.ts';

const ELF = Uint8Array.of(127, 69, 76, 70, 0, 1);
const sha256 = createHash('sha256').update(ELF).digest('hex');

const account = (data: Uint8Array, owner = UPGRADEABLE_LOADER) => ({
  address: SQUADS.vault,
  owner,
  lamports: 1n,
  data,
});

/** As bincode writes it: without an authority the 32 bytes keep what they held. */
function programData(hasAuthority: boolean, code: Uint8Array): Uint8Array {
  const head = new Uint8Array(45);
  head.set([3, 0, 0, 0, 9]);
  head[12] = hasAuthority ? 1 : 0;
  head.set(bytesOfAddress(SQUADS.vault), 13);
  return Uint8Array.of(...head, ...code);
}

test('zeros at the end of a program do not change its hash, any other byte does', () => {
  expect(hashProgram(ELF)).toBe(sha256);
  expect(hashProgram(Uint8Array.of(...ELF, 0, 0, 0))).toBe(sha256);
  expect(hashProgram(Uint8Array.of(...ELF, 0, 2))).not.toBe(sha256);
  expect(hashProgram(Uint8Array.of(0, ...ELF))).not.toBe(sha256);
});

test('the authority and the hash of a program are read from its data account', () => {
  const padded = Uint8Array.of(...ELF, 0, 0);
  expect(parseProgramData(account(programData(true, padded)))).toEqual({
    authority: SQUADS.vault,
    sha256,
  });
  expect(parseProgramData(account(programData(false, padded)))).toEqual({
    authority: null,
    sha256,
  });
});

test('a program of the loader for final programs has no authority', () => {
  const final = account(ELF, 'BPFLoader2111111111111111111111111111111111');
  expect(parseFinalProgram(final)).toEqual({ authority: null, sha256 });
  expect(parseFinalProgram(account(ELF))).toBeNull();
});

test('a program names its data account; buffers and foreign accounts are neither', () => {
  const program = Uint8Array.of(2, 0, 0, 0, ...bytesOfAddress(SQUADS.multisig));
  expect(programDataAddress(account(program))).toBe(SQUADS.multisig);
  const buffer = Uint8Array.of(1, ...programData(true, ELF).subarray(1));
  expect(programDataAddress(account(program, SQUADS.vault))).toBeNull();
  expect(programDataAddress(account(buffer))).toBeNull();
  expect(parseProgramData(account(buffer))).toBeNull();
  expect(parseProgramData(account(programData(true, ELF), SQUADS.vault))).toBeNull();
  expect(parseProgramData(account(Uint8Array.of(3, 0, 0, 0)))).toBeNull();
});
