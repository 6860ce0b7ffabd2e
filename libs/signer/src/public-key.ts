import { createPublicKey, type KeyObject } from 'node:crypto';
import bs58 from 'bs58';

export const PUBLIC_KEY_BYTES = 32;
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

/** The public key of an address, for verification. The address must be base58 of 32 bytes. */
export function publicKeyOf(address: string): KeyObject {
  const key = Buffer.concat([SPKI_ED25519, bs58.decode(address)]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}
