import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import { badRequest } from '../../http/read-url.ts';
import type { OwnerSigner } from './owner-signer.ts';

const KEY_BYTES = 32;
/** A transaction of one signer: the count of signatures, and the place of its own. */
const SIGNATURE_AT = 1;
const MESSAGE_AT = SIGNATURE_AT + 64;

/**
 * A signer that holds its key, for Node: the 64 bytes that the Solana command line keeps in a key
 * file, or the 32 bytes of the private key alone. It signs whatever it is given. Throws
 * `BAD_REQUEST` for other bytes, and for a key whose public half is another's.
 */
export function keypairSigner(secretKey: Uint8Array): OwnerSigner {
  const given = Uint8Array.from(secretKey);
  if (given.length !== KEY_BYTES && given.length !== 2 * KEY_BYTES) {
    throw badRequest('secretKey must have 64 bytes, or the 32 of the private key');
  }
  const privateKey = given.slice(0, KEY_BYTES);
  const publicKey = ed25519.getPublicKey(privateKey);
  const address = bs58.encode(publicKey);
  if (given.length > KEY_BYTES && bs58.encode(given.slice(KEY_BYTES)) !== address) {
    throw badRequest('secretKey has a public half that is not its own');
  }
  return {
    address,
    signMessage: async (message) => ed25519.sign(message, privateKey),
    signTransaction: async (transaction) => {
      if (transaction[0] !== 1) throw badRequest('the transaction must have one signer');
      const signed = Uint8Array.from(transaction);
      signed.set(ed25519.sign(signed.subarray(MESSAGE_AT), privateKey), SIGNATURE_AT);
      return signed;
    },
  };
}
