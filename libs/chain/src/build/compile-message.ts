/** The bytes of a legacy message. */

import type { TransactionInstruction } from '@solana/web3.js';

import { bytesOfAddress } from '../program/addresses.ts';

type Rights = { signer: boolean; writable: boolean };

const SEVEN_BITS = 0x7f;
const MORE = 0x80;

/** A length in Solana's compact form: 7 bits in a byte, the lowest first. */
function compactLength(length: number): readonly number[] {
  const bytes: number[] = [];
  let rest = length;
  while (rest > SEVEN_BITS) {
    bytes.push((rest & SEVEN_BITS) | MORE);
    rest >>= 7;
  }
  return [...bytes, rest];
}

/** Each account once, with the rights of all its uses, in the order of its first use. */
function rightsOf(payer: string, instructions: readonly TransactionInstruction[]) {
  const rights = new Map<string, Rights>([[payer, { signer: true, writable: true }]]);
  const use = (address: string, { signer, writable }: Rights): void => {
    const known = rights.get(address);
    rights.set(address, {
      signer: signer || known?.signer === true,
      writable: writable || known?.writable === true,
    });
  };
  for (const { programId, keys } of instructions) {
    use(programId.toBase58(), { signer: false, writable: false });
    for (const { pubkey, isSigner, isWritable } of keys) {
      use(pubkey.toBase58(), { signer: isSigner, writable: isWritable });
    }
  }
  return rights;
}

/**
 * Compiles a message to the same bytes as the client library, which encodes and decodes each
 * address several times.
 */
export function compileMessage(message: {
  readonly payer: string;
  readonly blockhash: string;
  readonly instructions: readonly TransactionInstruction[];
}): Buffer {
  const { payer, blockhash, instructions } = message;
  const entries = [...rightsOf(payer, instructions)];
  const addressesWith = (signer: boolean, writable: boolean): readonly string[] =>
    entries
      .filter(([, rights]) => rights.signer === signer && rights.writable === writable)
      .map(([address]) => address);
  const readonlySigners = addressesWith(true, false);
  const readonlyOthers = addressesWith(false, false);
  const signers = [...addressesWith(true, true), ...readonlySigners];
  const addresses = [...signers, ...addressesWith(false, true), ...readonlyOthers];
  const places = new Map(addresses.map((address, place) => [address, place]));
  const placeOf = (address: string): number => places.get(address) ?? -1;
  return Buffer.concat([
    Buffer.from([signers.length, readonlySigners.length, readonlyOthers.length]),
    Buffer.from(compactLength(addresses.length)),
    ...addresses.map(bytesOfAddress),
    bytesOfAddress(blockhash),
    Buffer.from(compactLength(instructions.length)),
    ...instructions.flatMap(({ programId, keys, data }) => [
      Buffer.from([
        placeOf(programId.toBase58()),
        ...compactLength(keys.length),
        ...keys.map(({ pubkey }) => placeOf(pubkey.toBase58())),
        ...compactLength(data.length),
      ]),
      data,
    ]),
  ]);
}
