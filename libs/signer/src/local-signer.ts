import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { AppError } from '@agent-wallet/errors';
import type { Keypair } from '@solana/web3.js';
import { PUBLIC_KEY_BYTES } from './public-key.ts';
import type { Signer } from './signer.ts';

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs with a keypair in the memory of this process. */
export function createLocalSigner(keypair: Keypair): Signer {
  // Importing a key costs more than signing with it.
  let imported: KeyObject | null = null;
  return {
    address: keypair.publicKey.toBase58(),
    sign: async (bytes) => sign(null, bytes, (imported ??= importKey(keypair))),
  };
}

/**
 * The private key of a keypair. It is compared with the public key first: a signature by another
 * secret would be sent and silently refused.
 */
function importKey(keypair: Keypair): KeyObject {
  const der = Buffer.concat([PKCS8_ED25519, keypair.secretKey.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  const derived = createPublicKey(key).export({ format: 'der', type: 'spki' });
  if (!derived.subarray(-PUBLIC_KEY_BYTES).equals(keypair.publicKey.toBytes())) {
    throw new AppError('SIGNER_MISMATCH', { field: 'key' });
  }
  return key;
}
