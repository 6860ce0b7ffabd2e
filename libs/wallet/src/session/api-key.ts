import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';

/** What is stored of an agent's key: its hash, and its first characters for the owner. */
export type StoredKey = {
  readonly sessionId: string;
  readonly walletId: string;
  readonly keyHash: Buffer;
  readonly keyPrefix: string;
};

/** Records the live key of a session. */
export async function insertApiKey(tx: SqlTransaction, key: StoredKey): Promise<void> {
  await tx.query(sql.unsafe`
    insert into api_key (key_hash, session_id, wallet_id, key_prefix)
    values (${sql.binary(key.keyHash)}, ${key.sessionId}::uuid, ${key.walletId}::uuid,
      ${key.keyPrefix})
  `);
}
