import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  privateDecrypt,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { z } from 'zod';
import { parseMasterKey } from './master-key.ts';
import { open, seal } from './seal.ts';

const MODULUS_BITS = 3_072;
/** Opened secrets that are kept: opening one takes a millisecond. */
const KEPT_OPEN = 10_000;
/** In place of a session key's address: what the master key has sealed. */
const PRIVATE_KEY = { pubkey: 'webhook_key', keyVersion: 1 };

const generate = promisify(generateKeyPair);

/** Opens the secrets of webhooks. */
export type WebhookKeystore = {
  /** The secret with this id, `whsec_…`. Throws KEYSTORE_UNAVAILABLE. */
  readonly open: (secretId: string, sealed: Buffer) => string;
};

const keyRow = z.object({
  publicKey: z.instanceof(Buffer),
  sealedPrivateKey: z.instanceof(Buffer),
});

/**
 * Opens the keystore of webhooks with its master key `key` (base64 of 32 bytes), which is another
 * one than that of session keys. The first call creates the key pair: the database holds its public
 * half in the clear for the api, and its private half sealed.
 *
 * Throws SERVER_MISCONFIGURED, without echoing the key, and KEYSTORE_UNAVAILABLE when the key does
 * not open the stored half.
 */
export async function openWebhookKeystore({
  db,
  key,
}: {
  readonly db: Database;
  readonly key: string;
}): Promise<WebhookKeystore> {
  const masterKey = parseMasterKey(key, 'WEBHOOK_KEY');
  const row = (await readKey(db)) ?? (await createKey(db, masterKey));
  const der = open(masterKey, row.sealedPrivateKey, PRIVATE_KEY);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  if (!publicKey.equals(row.publicKey)) {
    throw new AppError('KEYSTORE_UNAVAILABLE', { reason: 'the halves of the key differ' });
  }
  const opened = new Map<string, string>();
  return {
    open: (secretId, sealed) => {
      const known = opened.get(secretId);
      if (known !== undefined) return known;
      const oaepLabel = Buffer.from(secretId, 'utf8');
      const padding = constants.RSA_PKCS1_OAEP_PADDING;
      const options = { key: privateKey, padding, oaepHash: 'sha256', oaepLabel };
      try {
        const secret = privateDecrypt(options, sealed).toString('utf8');
        const [oldest] = opened.keys();
        if (opened.size >= KEPT_OPEN && oldest !== undefined) opened.delete(oldest);
        opened.set(secretId, secret);
        return secret;
      } catch (cause) {
        throw new AppError('KEYSTORE_UNAVAILABLE', { secretId }, { cause });
      }
    },
  };
}

const readKey = (db: Database) =>
  db.maybeOne(sql.type(keyRow)`
    select public_key as "publicKey", sealed_private_key as "sealedPrivateKey" from webhook_key
  `);

/** Of two workers that start at once, one stores its key and the other takes that. */
async function createKey(db: Database, masterKey: Buffer) {
  const pair = await generate('rsa', { modulusLength: MODULUS_BITS });
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' });
  const privateKey = pair.privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealed = seal(masterKey, privateKey, PRIVATE_KEY);
  await db.query(sql.unsafe`
    insert into webhook_key (public_key, sealed_private_key)
    values (${sql.binary(publicKey)}, ${sql.binary(sealed)})
    on conflict do nothing
  `);
  return db.one(sql.type(keyRow)`
    select public_key as "publicKey", sealed_private_key as "sealedPrivateKey" from webhook_key
  `);
}
