import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { insertApiKey, type StoredKey } from './api-key.ts';
import type { SessionRow } from './session.ts';

const keyRow = z.object({ pubkey: z.string() });

type NewSession = StoredKey &
  Pick<SessionRow, 'maxPerTx' | 'dailyCap' | 'expiry' | 'allowedInstructions'> & {
    readonly allowedRecipients: readonly string[];
    /** Address of the session account of a session key. */
    readonly sessionPdaOf: (sessionPubkey: string) => string;
  };

/**
 * Takes a free session key and records the session with its api key and its lane, in one SQL
 * transaction. Returns the session's public key; null when no key is free.
 */
export async function insertSession(db: Database, session: NewSession): Promise<string | null> {
  const { sessionId, walletId } = session;
  return db.transaction(async (tx) => {
    const key = await tx.maybeOne(sql.type(keyRow)`
      update session_key set session_id = ${sessionId}::uuid
      where pubkey = (
        select pubkey from session_key where session_id is null
        order by created_at limit 1 for update skip locked)
      returning pubkey
    `);
    if (key === null) return null;
    await tx.query(sql.unsafe`
      insert into session (
        session_id, wallet_id, session_pubkey, session_pda, max_per_tx, daily_cap, expiry,
        allowed_recipients, allowed_instructions)
      values (
        ${sessionId}::uuid, ${walletId}::uuid, ${key.pubkey},
        ${session.sessionPdaOf(key.pubkey)}, ${session.maxPerTx.toString()}::numeric,
        ${session.dailyCap.toString()}::numeric, ${session.expiry},
        ${sql.array([...session.allowedRecipients], 'text')}, ${session.allowedInstructions})
    `);
    await insertApiKey(tx, session);
    await tx.query(sql.unsafe`
      insert into lane (session_id, wallet_id) values (${sessionId}::uuid, ${walletId}::uuid)
    `);
    return key.pubkey;
  });
}
