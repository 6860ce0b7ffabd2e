import type { SqlTransaction } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { z } from 'zod';

/**
 * Throws SERVER_MISCONFIGURED while the tx-workers' master key opens none of the session keys:
 * nothing that needs one could go on.
 */
export async function refuseWithoutKeystore(tx: Pick<SqlTransaction, 'oneFirst'>): Promise<void> {
  const fits = await tx.oneFirst(sql.type(z.object({ fits: z.boolean() }))`
    select keystore_fits() as fits
  `);
  if (!fits) throw new AppError('SERVER_MISCONFIGURED', { reason: 'KEYSTORE_KEY does not fit' });
}
