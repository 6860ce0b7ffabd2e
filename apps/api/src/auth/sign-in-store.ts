import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const NONCE_MINUTES = 5;
const OWNER_SESSION_HOURS = 12;
/** How long expired sign-ins are kept, for the investigation of a stolen cookie. */
const OWNER_SESSION_KEPT_DAYS = 7;
/** Expired rows deleted per insert. */
const SWEEP_ROWS = 20;

const expiry = z.object({ expiresAt: z.date() });
const ownerSession = z.object({ ownerSessionId: z.string(), expiresAt: z.date() });

/** Stores a new nonce, valid for five minutes. Returns its expiry. */
export async function insertNonce(db: Database, nonce: string): Promise<Date> {
  await db.query(sql.unsafe`
    delete from sign_in_nonce where nonce in (
      select nonce from sign_in_nonce where expires_at < now() - interval '1 hour'
      order by expires_at limit ${SWEEP_ROWS} for update skip locked)
  `);
  const row = await db.one(sql.type(expiry)`
    insert into sign_in_nonce (nonce, expires_at)
    values (${nonce}, now() + make_interval(mins => ${NONCE_MINUTES}))
    returning expires_at as "expiresAt"
  `);
  return row.expiresAt;
}

/** Marks the nonce used. Returns false when it is unknown, used or expired. */
export async function burnNonce(db: Database, nonce: string): Promise<boolean> {
  const row = await db.maybeOne(sql.type(expiry)`
    update sign_in_nonce set used_at = now()
    where nonce = ${nonce} and used_at is null and expires_at > now()
    returning expires_at as "expiresAt"
  `);
  return row !== null;
}

/**
 * Records the server-side session of an owner's cookie, and deletes some that expired a week ago. The
 * cookie of a deleted one is as invalid as that of an expired one.
 */
export async function insertOwnerSession(
  db: Database,
  owner: string,
): Promise<{ ownerSessionId: string; expiresAt: Date }> {
  await db.query(sql.unsafe`
    delete from owner_session where owner_session_id in (
      select owner_session_id from owner_session
      where expires_at < now() - make_interval(days => ${OWNER_SESSION_KEPT_DAYS})
      limit ${SWEEP_ROWS} for update skip locked)
  `);
  return db.one(sql.type(ownerSession)`
    insert into owner_session (owner, expires_at)
    values (${owner}, now() + make_interval(hours => ${OWNER_SESSION_HOURS}))
    returning owner_session_id as "ownerSessionId", expires_at as "expiresAt"
  `);
}

/** Whether the session exists, belongs to `owner` and has not ended. */
export async function isOwnerSessionOpen(
  db: Database,
  ownerSessionId: string,
  owner: string,
): Promise<boolean> {
  return db.exists(sql.unsafe`
    select 1 from owner_session
    where owner_session_id = ${ownerSessionId}::uuid and owner = ${owner}
      and revoked_at is null and expires_at > now()
  `);
}

/** Ends the session: its cookie is invalid from now on. */
export async function endOwnerSession(db: Database, ownerSessionId: string): Promise<void> {
  await db.query(sql.unsafe`
    update owner_session set revoked_at = now()
    where owner_session_id = ${ownerSessionId}::uuid and revoked_at is null
  `);
}
