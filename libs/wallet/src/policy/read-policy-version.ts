import { type CommonQueryMethods, sql } from 'slonik';
import { z } from 'zod';

/** Version of the wallet's newest policy; 0 without one. */
export async function readPolicyVersion(db: CommonQueryMethods, walletId: string): Promise<number> {
  return db.oneFirst(sql.type(z.object({ version: z.number() }))`
    select coalesce(max(version), 0) as version from wallet_policy
    where wallet_id = ${walletId}::uuid
  `);
}
