import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/**
 * False while the tx-workers' master key opens none of the session keys: nothing could be signed.
 */
export async function keystoreFits(tx: Pick<SqlTransaction, 'oneFirst'>): Promise<boolean> {
  return tx.oneFirst(sql.type(z.object({ fits: z.boolean() }))`select keystore_fits() as fits`);
}
