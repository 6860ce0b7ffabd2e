import type { Database } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { z } from 'zod';
import { open, seal } from './seal.ts';

/** The version of the master key that seals new keys. */
const KEY_VERSION = 1;
/** Opened keys that are kept: those of the sessions that one process serves at a time. */
const KEPT_OPEN = 10_000;

export type Keystore = {
  /**
   * Creates session keypairs until `ahead` of them are free and returns how many it created.
   * Success also clears the keystore-refused flag.
   */
  readonly refill: (ahead: number) => Promise<number>;
  /**
   * Opens the keypair with this public key, once; the process that holds the master key keeps it. A
   * public key is never sealed twice. Throws KEYSTORE_UNAVAILABLE.
   */
  readonly load: (pubkey: string) => Promise<Keypair>;
};

const sealedRow = z.object({ sealed: z.instanceof(Buffer), keyVersion: z.number() });

/** The keystore on the table `session_key`; only the tx-worker has the master key. */
export function createKeystore({
  db,
  masterKey,
}: {
  readonly db: Database;
  readonly masterKey: Buffer;
}): Keystore {
  const opened = new Map<string, Keypair>();
  return {
    refill: async (ahead) => {
      // A second worker with a wrong key may have set the flag.
      await db.query(sql.unsafe`
        update deployment set keystore_refused_at = null where keystore_refused_at is not null
      `);
      const free = await db.oneFirst(sql.type(z.object({ free: z.number() }))`
        select count(*)::int as free from session_key where session_id is null
      `);
      const missing = Math.max(0, ahead - free);
      for (let made = 0; made < missing; made += 1) {
        const keypair = Keypair.generate();
        const pubkey = keypair.publicKey.toBase58();
        const sealed = seal(masterKey, keypair.secretKey, { pubkey, keyVersion: KEY_VERSION });
        await db.query(sql.unsafe`
          insert into session_key (pubkey, sealed, key_version)
          values (${pubkey}, ${sql.binary(sealed)}, ${KEY_VERSION})
        `);
      }
      return missing;
    },
    load: async (pubkey) => {
      const known = opened.get(pubkey);
      if (known !== undefined) return known;
      const row = await db.maybeOne(sql.type(sealedRow)`
        select sealed, key_version as "keyVersion" from session_key where pubkey = ${pubkey}
      `);
      if (row === null)
        throw new AppError('KEYSTORE_UNAVAILABLE', { pubkey, reason: 'no such key' });
      const secret = open(masterKey, row.sealed, { pubkey, keyVersion: row.keyVersion });
      const keypair = keypairOf(secret, pubkey);
      if (keypair.publicKey.toBase58() !== pubkey) {
        throw new AppError('KEYSTORE_UNAVAILABLE', { pubkey, reason: 'the key is another one' });
      }
      const [oldest] = opened.keys();
      if (opened.size >= KEPT_OPEN && oldest !== undefined) opened.delete(oldest);
      opened.set(pubkey, keypair);
      return keypair;
    },
  };
}

/** The library throws plain errors for bytes that are not a keypair or whose halves differ. */
function keypairOf(secret: Buffer, pubkey: string): Keypair {
  try {
    return Keypair.fromSecretKey(secret);
  } catch (cause) {
    throw new AppError('KEYSTORE_UNAVAILABLE', { pubkey, reason: 'no keypair' }, { cause });
  }
}
