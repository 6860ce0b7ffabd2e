import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { holdWallet } from '../wallet/hold-wallet.ts';
import { insertApiKey, type StoredKey } from './api-key.ts';

/** Revokes the session's live key and records a new one, in one SQL transaction. */
export async function replaceKey(db: Database, key: StoredKey): Promise<void> {
  await holdWallet(db, key.walletId, async (tx) => {
    // Of two rotations at once, the second waits and then revokes the first one's key.
    await tx.query(sql.unsafe`
      update api_key set revoked_at = now()
      where session_id = ${key.sessionId}::uuid and revoked_at is null
    `);
    await insertApiKey(tx, key);
  });
}
