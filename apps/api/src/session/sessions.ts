import type { Database } from '@agent-wallet/db';
import { lockWallet } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { z } from 'zod';

const sessionRow = z.object({
  sessionId: z.string(),
  walletId: z.string(),
  sessionPubkey: z.string(),
  sessionPda: z.string(),
  maxPerTx: z.bigint(),
  dailyCap: z.bigint(),
  expiry: z.bigint(),
  allowedRecipients: z.array(z.string()),
  allowedInstructions: z.number(),
  status: z.enum(['awaiting_owner_signature', 'live', 'revoked']),
  liveSlot: z.bigint().nullable(),
  keyPrefix: z.string().nullable(),
  createdAt: z.date(),
});

/** A session as recorded here. Amounts in base units, `expiry` in unix seconds. */
export type SessionRow = z.output<typeof sessionRow>;

/** Columns of a session and the prefix of its live key; `session` and `api_key` in scope. */
const sessionColumns = sql.fragment`
  session.session_id as "sessionId", session.wallet_id as "walletId",
  session.session_pubkey as "sessionPubkey", session.session_pda as "sessionPda",
  session.max_per_tx as "maxPerTx", session.daily_cap as "dailyCap", session.expiry,
  session.allowed_recipients as "allowedRecipients",
  session.allowed_instructions as "allowedInstructions", session.status,
  session.live_slot as "liveSlot", api_key.key_prefix as "keyPrefix",
  session.created_at as "createdAt"
`;

const keyRow = z.object({ pubkey: z.string() });

export type NewSession = {
  readonly sessionId: string;
  readonly walletId: string;
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  readonly expiry: bigint;
  readonly allowedRecipients: readonly string[];
  readonly allowedInstructions: number;
  readonly keyHash: Buffer;
  readonly keyPrefix: string;
  /** Address of the session account of a session key. */
  readonly sessionPdaOf: (sessionPubkey: string) => string;
};

/**
 * Takes a free session key and records the session with its api key and its lane, all or nothing.
 * The key's public part, or null when no key is free.
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
    await tx.query(sql.unsafe`
      insert into api_key (key_hash, session_id, wallet_id, key_prefix)
      values (${sql.binary(session.keyHash)}, ${sessionId}::uuid, ${walletId}::uuid,
        ${session.keyPrefix})
    `);
    await tx.query(sql.unsafe`
      insert into lane (session_id, wallet_id) values (${sessionId}::uuid, ${walletId}::uuid)
    `);
    return key.pubkey;
  });
}

/** The sessions of an owner's wallet, newest first. */
export async function listSessions(
  db: Database,
  owner: string,
  limit: number,
): Promise<readonly SessionRow[]> {
  return db.any(sql.type(sessionRow)`
    select ${sessionColumns} from session
    join wallet on wallet.wallet_id = session.wallet_id and wallet.owner = ${owner}
    left join api_key on api_key.session_id = session.session_id and api_key.revoked_at is null
    order by session.created_at desc, session.session_id
    limit ${limit}
  `);
}

/** The sessions of a wallet that nobody has revoked, newest first. */
export async function listUnrevoked(
  db: Database,
  walletId: string,
  limit: number,
): Promise<readonly SessionRow[]> {
  return db.any(sql.type(sessionRow)`
    select ${sessionColumns} from session
    left join api_key on api_key.session_id = session.session_id and api_key.revoked_at is null
    where session.wallet_id = ${walletId}::uuid and session.status <> 'revoked'
    order by session.created_at desc, session.session_id
    limit ${limit}
  `);
}

/** One session of the owner; null when there is none of that id, or it is somebody else's. */
export async function findSession(
  db: Database,
  owner: string,
  sessionId: string,
): Promise<SessionRow | null> {
  return db.maybeOne(sql.type(sessionRow)`
    select ${sessionColumns} from session
    join wallet on wallet.wallet_id = session.wallet_id and wallet.owner = ${owner}
    left join api_key on api_key.session_id = session.session_id and api_key.revoked_at is null
    where session.session_id = ${sessionId}::uuid
  `);
}

/** The session of an agent's key; null only when there never was one of that id. */
export async function findSessionById(db: Database, sessionId: string): Promise<SessionRow | null> {
  return db.maybeOne(sql.type(sessionRow)`
    select ${sessionColumns} from session
    left join api_key on api_key.session_id = session.session_id and api_key.revoked_at is null
    where session.session_id = ${sessionId}::uuid
  `);
}

/** Those of `addresses` that are keys of sessions, in use or free, of whatever wallet. */
export async function findSessionKeys(
  db: Database,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.any(sql.type(keyRow)`
    select pubkey from session_key where pubkey = any(${sql.array([...addresses], 'text')})
  `);
  return new Set(rows.map((row) => row.pubkey));
}

/** Puts a new key in the place of the live one, in one SQL transaction. */
export async function replaceKey(
  db: Database,
  key: {
    readonly sessionId: string;
    readonly walletId: string;
    readonly keyHash: Buffer;
    readonly keyPrefix: string;
  },
): Promise<void> {
  await db.transaction(async (tx) => {
    // Two rotations at once: the second waits here and then revokes the first one's key.
    await lockWallet(tx, key.walletId);
    await tx.query(sql.unsafe`
      update api_key set revoked_at = now()
      where session_id = ${key.sessionId}::uuid and revoked_at is null
    `);
    await tx.query(sql.unsafe`
      insert into api_key (key_hash, session_id, wallet_id, key_prefix)
      values (${sql.binary(key.keyHash)}, ${key.sessionId}::uuid, ${key.walletId}::uuid,
        ${key.keyPrefix})
    `);
  });
}
