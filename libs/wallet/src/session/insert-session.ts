import type { Database, SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { holdWallet } from '../wallet/hold-wallet.ts';
import { insertApiKey, type StoredKey } from './api-key.ts';
import { findSessionOfRequest, type SessionOfRequest } from './find-session-of-request.ts';
import type { SessionRow } from './session.ts';

const keyRow = z.object({ pubkey: z.string() });

/** An Idempotency-Key, and the SHA-256 of the request under it. */
type KeyedRequest = { readonly key: string; readonly digest: Buffer };

type NewSession = StoredKey &
  Pick<SessionRow, 'maxPerTx' | 'dailyCap' | 'expiry' | 'allowedInstructions'> & {
    readonly allowedRecipients: readonly string[];
    /** Address of the session account of a session key. */
    readonly sessionPdaOf: (sessionPubkey: string) => string;
    /** Null for a request without an Idempotency-Key. */
    readonly request: KeyedRequest | null;
  };

/** `known`: a request under this Idempotency-Key has created a session before. */
type InsertOutcome =
  | { readonly kind: 'inserted'; readonly sessionPubkey: string }
  | { readonly kind: 'known'; readonly session: SessionOfRequest }
  | { readonly kind: 'no_key' };

/**
 * Takes a free session key and records the session with its api key and its lane, in one SQL
 * transaction; `no_key` when no key is free. Of two requests at once under one Idempotency-Key, the
 * second waits and finds the session of the first.
 */
export async function insertSession(db: Database, session: NewSession): Promise<InsertOutcome> {
  const { walletId, request } = session;
  if (request === null) return db.transaction((tx) => insert(tx, session));
  return holdWallet(db, walletId, async (tx) => {
    const known = await findSessionOfRequest(tx, walletId, request.key);
    return known === null ? insert(tx, session) : { kind: 'known', session: known };
  });
}

async function insert(tx: SqlTransaction, session: NewSession): Promise<InsertOutcome> {
  const { sessionId, walletId, request } = session;
  const key = await tx.maybeOne(sql.type(keyRow)`
    update session_key set session_id = ${sessionId}::uuid
    where pubkey = (
      select pubkey from session_key where session_id is null
      order by created_at limit 1 for update skip locked)
    returning pubkey
  `);
  if (key === null) return { kind: 'no_key' };
  await tx.query(sql.unsafe`
    insert into session (
      session_id, wallet_id, session_pubkey, session_pda, max_per_tx, daily_cap, expiry,
      allowed_recipients, allowed_instructions, idempotency_key, request_digest)
    values (
      ${sessionId}::uuid, ${walletId}::uuid, ${key.pubkey},
      ${session.sessionPdaOf(key.pubkey)}, ${session.maxPerTx.toString()}::numeric,
      ${session.dailyCap.toString()}::numeric, ${session.expiry},
      ${sql.array([...session.allowedRecipients], 'text')}, ${session.allowedInstructions},
      ${request?.key ?? null}::text, ${request === null ? null : sql.binary(request.digest)}::bytea)
  `);
  await insertApiKey(tx, session);
  await tx.query(sql.unsafe`
    insert into lane (session_id, wallet_id) values (${sessionId}::uuid, ${walletId}::uuid)
  `);
  return { kind: 'inserted', sessionPubkey: key.pubkey };
}
