import type { Database } from '@agent-wallet/db';
import { AppError, isAppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { z } from 'zod';
import { createKeystore, type Keystore } from './keystore.ts';
import { parseMasterKey } from './master-key.ts';

/** More than one, because a single damaged row does not mean a wrong key. */
const KEYS_TRIED = 8;

/**
 * Opens the keystore with the master key `key` (base64 of 32 bytes) after it has opened one of the
 * newest session keys. If the key is absent or opens none, the database records it, so that no
 * spend is accepted that cannot be signed. The row of the deployment must exist.
 *
 * Throws SERVER_MISCONFIGURED, without echoing the key.
 */
export async function openKeystore({
  db,
  key,
}: {
  readonly db: Database;
  readonly key: string;
}): Promise<Keystore> {
  try {
    const keystore = createKeystore({ db, masterKey: parseMasterKey(key) });
    if (!(await opensAny(db, keystore))) {
      const reason = 'KEYSTORE_KEY opens none of the session keys of this database';
      throw new AppError('SERVER_MISCONFIGURED', { reason });
    }
    return keystore;
  } catch (error) {
    if (isAppError(error, 'SERVER_MISCONFIGURED')) {
      await db.query(sql.unsafe`
        update deployment set keystore_refused_at = coalesce(keystore_refused_at, now())
      `);
    }
    throw error;
  }
}

/** True also when there is no session key yet. */
async function opensAny(db: Database, keystore: Pick<Keystore, 'load'>): Promise<boolean> {
  const newest = await db.anyFirst(sql.type(z.object({ pubkey: z.string() }))`
    select pubkey from session_key order by created_at desc limit ${KEYS_TRIED}
  `);
  for (const pubkey of newest) {
    try {
      await keystore.load(pubkey);
      return true;
    } catch (error) {
      if (!isAppError(error, 'KEYSTORE_UNAVAILABLE')) throw error;
    }
  }
  return newest.length === 0;
}
