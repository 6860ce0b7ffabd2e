import type { Explain } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const landingRow = z.object({ signature: z.string(), isOpen: z.boolean() });

/**
 * Explains landings of bytes that this service signed and stored, and marks their spends as matched
 * with the chain. `explained`: the spend is confirmed under this very signature. `open`: it is in
 * flight under it, and its watch is about to settle it.
 *
 * The signed bytes prove the payment, and the program emits its event or fails. The event of a
 * yield movement holds amounts that no bytes tell, and a facilitator's payment is settled from the
 * chain alone: both are read.
 */
export function createExplainLandings(db: Database): Explain {
  return async (signatures) => {
    if (signatures.length === 0) return new Map();
    const landings = await db.any(sql.type(landingRow)`
      with own as materialized (
        select spend.spend_id, attempt.signature, spend.status = 'in_flight' as is_open,
          spend.event_joined_at is null as is_unjoined
        from unnest(${sql.array([...signatures], 'text')}) as told (signature)
        join attempt on attempt.signature = told.signature
        join spend on spend.spend_id = attempt.spend_id and spend.tx_signature = attempt.signature
        where spend.broadcaster = 'worker'
          and spend.kind in ('transfer', 'sign_payment', 'pay_service')
          and spend.status in ('in_flight', 'confirmed', 'finalized')
      ), held as (
        select spend.spend_id from spend join own on own.spend_id = spend.spend_id
        where is_unjoined and not is_open
          and spend.status in ('confirmed', 'finalized') and spend.tx_signature = own.signature
        order by spend.spend_id
        for no key update of spend
      ), joined as (
        update spend set event_joined_at = now() from held where spend.spend_id = held.spend_id
      )
      select signature, is_open as "isOpen" from own
    `);
    return new Map(
      landings.map(({ signature, isOpen }) => [signature, isOpen ? 'open' : 'explained']),
    );
  };
}
