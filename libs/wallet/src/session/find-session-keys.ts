import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const keyRow = z.object({ pubkey: z.string() });

/** Those of `addresses` that are session keys, in use or free, of any wallet. */
export async function findSessionKeys(
  db: Database,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.any(sql.type(keyRow)`
    select pubkey from session_key where pubkey = any(${sql.array([...addresses], 'text')})
  `);
  return new Set(rows.map((row) => row.pubkey));
}
