import type { Database } from '@agent-wallet/db';
import { isAppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { z } from 'zod';
import type { DataKey } from './data-keys.ts';
import type { OpenSessionKey } from './open-session-key.ts';
import { seal } from './seal.ts';

/** One page of keys to seal again; the pages follow the order of the public keys. */
export type ResealPage = {
  readonly resealed: number;
  /** Keys that do not open now. They stay as they are. */
  readonly unopened: number;
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
};

type ResealDeps = {
  readonly db: Database;
  readonly sealingKey: DataKey;
  readonly openSessionKey: OpenSessionKey;
};

const PAGE = 200;

const oldRow = z.object({
  pubkey: z.string(),
  sealed: z.instanceof(Buffer),
  keyVersion: z.number(),
});

/**
 * Opens the keys that an older data key has sealed and seals them by the newest one. An update names
 * the version that was read: of two workers that seal the same key again, one changes the row.
 */
export function createReseal({ db, sealingKey, openSessionKey }: ResealDeps) {
  const { version, key } = sealingKey;
  return async (after: string): Promise<ResealPage> => {
    const rows = await db.any(sql.type(oldRow)`
      select pubkey, sealed, key_version as "keyVersion" from session_key
      where key_version < ${version} and pubkey > ${after} order by pubkey limit ${PAGE}
    `);
    let resealed = 0;
    let unopened = 0;
    for (const { pubkey, sealed, keyVersion } of rows) {
      const keypair = await openSessionKey(sealed, { pubkey, keyVersion }).catch(
        (error: unknown) => {
          if (isAppError(error, 'KEYSTORE_UNAVAILABLE')) return null;
          throw error;
        },
      );
      if (keypair === null) {
        unopened += 1;
        continue;
      }
      const again = seal(key, keypair.secretKey, { pubkey, keyVersion: version });
      const { rowCount } = await db.query(sql.unsafe`
        update session_key set sealed = ${sql.binary(again)}, key_version = ${version}
        where pubkey = ${pubkey} and key_version = ${keyVersion}
      `);
      resealed += rowCount;
    }
    return { resealed, unopened, next: rows.length < PAGE ? null : (rows.at(-1)?.pubkey ?? null) };
  };
}
