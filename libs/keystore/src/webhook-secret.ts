import { constants, createPublicKey, publicEncrypt } from 'node:crypto';

/**
 * Seals the secret of a webhook to the public key (SPKI, DER) of the process that signs with it:
 * RSA-OAEP with SHA-256, bound to the secret's id. Who seals cannot open.
 */
export function sealWebhookSecret(publicKey: Buffer, secretId: string, secret: string): Buffer {
  return publicEncrypt(
    {
      key: createPublicKey({ key: publicKey, format: 'der', type: 'spki' }),
      padding: constants.RSA_PKCS1_OAEP_PADDING,
      oaepHash: 'sha256',
      oaepLabel: Buffer.from(secretId, 'utf8'),
    },
    Buffer.from(secret, 'utf8'),
  );
}
