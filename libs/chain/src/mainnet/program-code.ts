/** What the chain holds of a program: its bytes, and who may replace them. */

import { createHash } from 'node:crypto';
import { addressOfBytes } from '../program/addresses.ts';
import type { AccountSnapshot } from '../rpc/read/chain-reads.ts';

/** @internal exported for its test */
export const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const FINAL_LOADER = 'BPFLoader2111111111111111111111111111111111';

/** The loader's `UpgradeableLoaderState`: a u32 tag, then the fields of the variant. */
const PROGRAM_TAG = 2;
const PROGRAM_BYTES = 36;
const PROGRAM_DATA_TAG = 3;
const AUTHORITY_TAG_OFFSET = 12;
const AUTHORITY_OFFSET = 13;
/** Of the header of a program data account; the program's bytes follow. */
export const PROGRAM_DATA_HEADER_BYTES = 45;

export type ProgramCode = {
  /** Base58; null when nobody can replace the program. */
  readonly authority: string | null;
  /** See `hashProgram`. */
  readonly sha256: string;
};

/**
 * The SHA-256 of a program's bytes without the zeros at their end, in hex: the loader pads a program
 * with zeros up to the size that was reserved for it. It is what `solana-verify` prints for a file
 * and for a program on a chain.
 */
export function hashProgram(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return createHash('sha256').update(bytes.subarray(0, end)).digest('hex');
}

/** The account that holds the bytes of an upgradeable program; null for any other account. */
export function programDataAddress({ owner, data }: AccountSnapshot): string | null {
  if (owner !== UPGRADEABLE_LOADER || data.length !== PROGRAM_BYTES) return null;
  if (tagOf(data) !== PROGRAM_TAG) return null;
  return addressOfBytes(data.subarray(4));
}

/** Reads a program's data account; null when the account is none of the upgradeable loader. */
export function parseProgramData({ owner, data }: AccountSnapshot): ProgramCode | null {
  if (owner !== UPGRADEABLE_LOADER || data.length < PROGRAM_DATA_HEADER_BYTES) return null;
  if (tagOf(data) !== PROGRAM_DATA_TAG) return null;
  const authority = data.subarray(AUTHORITY_OFFSET, PROGRAM_DATA_HEADER_BYTES);
  return {
    authority: data[AUTHORITY_TAG_OFFSET] === 0 ? null : addressOfBytes(authority),
    sha256: hashProgram(data.subarray(PROGRAM_DATA_HEADER_BYTES)),
  };
}

/** Reads a program of the loader whose programs nobody can replace; null for any other account. */
export function parseFinalProgram({ owner, data }: AccountSnapshot): ProgramCode | null {
  return owner === FINAL_LOADER ? { authority: null, sha256: hashProgram(data) } : null;
}

const tagOf = (data: Uint8Array): number =>
  new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(0, true);
