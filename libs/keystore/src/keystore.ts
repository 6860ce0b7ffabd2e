import type { Database } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { createLocalSigner, type Signer } from '@agent-wallet/signer';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { z } from 'zod';
import type { DataKey } from './data-keys.ts';
import type { OpenSessionKey } from './open-session-key.ts';
import { createReseal, type ResealPage } from './reseal.ts';
import { seal } from './seal.ts';

/** Opened keys that are kept: those of the sessions that one process serves at a time. */
const KEPT_OPEN = 10_000;

export type Keystore = {
  /**
   * Creates session keypairs until `ahead` of them are free and returns how many it created.
   * Success also clears the keystore-refused flag.
   */
  readonly refill: (ahead: number) => Promise<number>;
  /**
   * Opens the key with this public key, once; the process keeps it. A public key is never sealed
   * for two keys. Throws KEYSTORE_UNAVAILABLE.
   */
  readonly load: (pubkey: string) => Promise<Signer>;
  /** Seals a page of the keys that an older data key has sealed by the newest one. */
  readonly reseal: (after: string) => Promise<ResealPage>;
};

const sealedRow = z.object({ sealed: z.instanceof(Buffer), keyVersion: z.number() });

/** The keystore on the table `session_key`; only the tx-worker can open the data keys. */
export function createKeystore({
  db,
  openSessionKey,
  sealingKey,
}: {
  readonly db: Database;
  readonly openSessionKey: OpenSessionKey;
  /** The newest data key. */
  readonly sealingKey: DataKey;
}): Keystore {
  const opened = new Map<string, Signer>();

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
      if (missing > 0) await insertNew(db, sealingKey, missing);
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
      const { keyVersion } = row;
      const signer = createLocalSigner(await openSessionKey(row.sealed, { pubkey, keyVersion }));
      const [oldest] = opened.keys();
      if (opened.size >= KEPT_OPEN && oldest !== undefined) opened.delete(oldest);
      opened.set(pubkey, signer);
      return signer;
    },
    reseal: createReseal({ db, sealingKey, openSessionKey }),
  };
}

async function insertNew(db: Database, { version, key }: DataKey, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    const keypair = Keypair.generate();
    const pubkey = keypair.publicKey.toBase58();
    const sealed = seal(key, keypair.secretKey, { pubkey, keyVersion: version });
    return [pubkey, sealed.toString('hex'), version];
  });
  await db.query(sql.unsafe`
    insert into session_key (pubkey, sealed, key_version)
    select pubkey, decode(sealed, 'hex'), key_version
    from ${sql.unnest(rows, ['text', 'text', 'int4'])} as new (pubkey, sealed, key_version)
  `);
}
