import type { Database } from '@agent-wallet/db';
import { AppError, isAppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { z } from 'zod';
import { createDataKeys } from './data-keys.ts';
import { createKeystore, type Keystore } from './keystore.ts';
import { createOpenSessionKey, type OpenSessionKey } from './open-session-key.ts';
import { isFromKeyService } from './wrapping/key-service-fault.ts';
import { type KeystoreKeys, openWrappingKeys } from './wrapping/open-wrapping-keys.ts';

/** More than one, because a single damaged row does not mean a wrong key. */
const KEYS_TRIED = 8;

/**
 * Opens the keystore after its keys have opened one of the newest session keys. If the keys are
 * absent or open none, the database records it, so that no spend is accepted that cannot be signed.
 * The row of the deployment must exist.
 *
 * Throws SERVER_MISCONFIGURED, without echoing a key, and KEYSTORE_UNAVAILABLE when the system that
 * keeps the wrapping key cannot be reached, which the database does not record.
 */
export async function openKeystore({
  db,
  ...keys
}: KeystoreKeys & { readonly db: Database }): Promise<Keystore> {
  try {
    const dataKeys = createDataKeys(db, await openWrappingKeys(keys));
    const openSessionKey = createOpenSessionKey(dataKeys);
    if (!(await opensAny(db, openSessionKey))) {
      const reason = 'KEYSTORE_KEY opens none of the session keys of this database';
      throw new AppError('SERVER_MISCONFIGURED', { reason });
    }
    return createKeystore({ db, openSessionKey, sealingKey: await dataKeys.openNewest() });
  } catch (error) {
    if (isAppError(error, 'SERVER_MISCONFIGURED')) {
      await db.query(sql.unsafe`
        update deployment set keystore_refused_at = coalesce(keystore_refused_at, now())
      `);
    }
    throw error;
  }
}

const newestRow = z.object({
  pubkey: z.string(),
  sealed: z.instanceof(Buffer),
  keyVersion: z.number(),
});

/** True also when there is no session key yet. */
async function opensAny(db: Database, openSessionKey: OpenSessionKey): Promise<boolean> {
  const newest = await db.any(sql.type(newestRow)`
    select pubkey, sealed, key_version as "keyVersion" from session_key
    order by created_at desc limit ${KEYS_TRIED}
  `);
  for (const { pubkey, sealed, keyVersion } of newest) {
    try {
      await openSessionKey(sealed, { pubkey, keyVersion });
      return true;
    } catch (error) {
      if (!isAppError(error, 'KEYSTORE_UNAVAILABLE') || isFromKeyService(error)) throw error;
    }
  }
  return newest.length === 0;
}
