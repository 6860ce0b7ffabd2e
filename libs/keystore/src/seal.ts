import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '@agent-wallet/errors';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Associated data: a sealed key that is moved to another row does not open. */
export type SealContext = { readonly pubkey: string; readonly keyVersion: number };

/** Seals with AES-256-GCM. Returns nonce ‖ ciphertext ‖ tag. */
export function seal(masterKey: Buffer, plain: Uint8Array, context: SealContext): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', masterKey, nonce);
  cipher.setAAD(associatedData(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Opens sealed bytes. Throws KEYSTORE_UNAVAILABLE when key, bytes or context do not match. */
export function open(masterKey: Buffer, sealed: Buffer, context: SealContext): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  const body = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associatedData(context));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch (cause) {
    const { pubkey, keyVersion } = context;
    throw new AppError('KEYSTORE_UNAVAILABLE', { pubkey, keyVersion }, { cause });
  }
}

function associatedData({ pubkey, keyVersion }: SealContext): Buffer {
  return Buffer.from(`${pubkey}|${keyVersion}`, 'utf8');
}
