import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type SessionRow, sessionRow, sessions } from './session.ts';

/** The owner's session with this id; null when that owner has none. */
export async function findSession(
  db: Database,
  owner: string,
  sessionId: string,
): Promise<SessionRow | null> {
  return db.maybeOne(sql.type(sessionRow)`
    ${sessions} where session.session_id = ${sessionId}::uuid and wallet.owner = ${owner}
  `);
}

/** The session with this id, of any owner; null when there never was one. */
export async function findSessionById(db: Database, sessionId: string): Promise<SessionRow | null> {
  return db.maybeOne(sql.type(sessionRow)`
    ${sessions} where session.session_id = ${sessionId}::uuid
  `);
}
