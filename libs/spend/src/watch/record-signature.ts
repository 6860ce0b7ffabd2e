import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { ATTEMPT_STORED, LOOK_NOW } from '../lane/announce-attempts.ts';

/** 64 bytes of base58. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/**
 * Records the signature under which a service claims that its facilitator sent the payment, and
 * makes the attempt due now. It is an untrusted hint for the confirm-worker; only the chain
 * settles. Returns false when it is no signature, or the spend is not a facilitator's in flight.
 */
export async function recordSignature(
  db: Database,
  spendId: string,
  signature: string,
): Promise<boolean> {
  if (!SIGNATURE.test(signature)) return false;
  const noted = await db.maybeOne(sql.unsafe`
    with noted as (
      update spend set signature_hint = ${signature}
      where spend_id = ${spendId}::uuid and broadcaster = 'facilitator' and status = 'in_flight'
      returning spend_id
    )
    update attempt_watch set look_at = 'epoch' from noted
    where attempt_watch.spend_id = noted.spend_id
    returning 1 as one
  `);
  if (noted === null) return false;
  await db.query(sql.unsafe`select pg_notify(${ATTEMPT_STORED}, ${LOOK_NOW})`);
  return true;
}
