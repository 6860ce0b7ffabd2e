/** The building blocks of expected bytes, without the IDL coder. */

import { createHash } from 'node:crypto';

export type ExpectedAccount = {
  readonly address: string;
  readonly signer: boolean;
  readonly writable: boolean;
};

export type ExpectedInstruction = {
  readonly program: string;
  /** In the program's order, each with the rights that this instruction requires. */
  readonly accounts: readonly ExpectedAccount[];
  readonly data: Buffer;
};

/** The discriminator of an instruction of ours. */
export function discriminatorOf(name: string): Buffer {
  return createHash('sha256').update(`global:${name}`).digest().subarray(0, 8);
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

export const readonly = (address: string): ExpectedAccount => ({
  address,
  signer: false,
  writable: false,
});
export const writable = (address: string): ExpectedAccount => ({
  address,
  signer: false,
  writable: true,
});
export const signer = (address: string): ExpectedAccount => ({
  address,
  signer: true,
  writable: false,
});
