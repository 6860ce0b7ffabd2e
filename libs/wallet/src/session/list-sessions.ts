import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type SessionRow, sessionRow, sessions } from './session.ts';

const newestFirst = sql.fragment`order by session.created_at desc, session.session_id`;

/** The sessions of an owner's wallet, newest first. */
export async function listSessions(
  db: Database,
  owner: string,
  limit: number,
): Promise<readonly SessionRow[]> {
  return db.any(sql.type(sessionRow)`
    ${sessions} where wallet.owner = ${owner} ${newestFirst} limit ${limit}
  `);
}

/** The sessions of a wallet that are not revoked, newest first. */
export async function listUnrevoked(
  db: Database,
  walletId: string,
  limit: number,
): Promise<readonly SessionRow[]> {
  return db.any(sql.type(sessionRow)`
    ${sessions} where session.wallet_id = ${walletId}::uuid and session.status <> 'revoked'
    ${newestFirst} limit ${limit}
  `);
}
