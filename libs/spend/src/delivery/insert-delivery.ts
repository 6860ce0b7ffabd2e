import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { Spend } from '../spend.ts';
import type { NewDelivery } from './delivery.ts';

/** Writes the delivery of a spend in the SQL transaction that accepts it. */
export async function insertDelivery(
  tx: SqlTransaction,
  spend: Spend,
  delivery: NewDelivery,
): Promise<void> {
  await tx.query(sql.unsafe`
    insert into delivery (
      spend_id, wallet_id, session_id, slug, proof, method, url, headers, body, requirement,
      resource)
    values (
      ${spend.spendId}::uuid, ${spend.walletId}::uuid, ${spend.sessionId}::uuid, ${delivery.slug},
      ${delivery.proof}, ${delivery.method}, ${delivery.url},
      ${JSON.stringify(delivery.headers)}::jsonb,
      ${delivery.body === null ? null : sql.binary(delivery.body)}, ${delivery.requirement},
      ${delivery.resource})
  `);
}
