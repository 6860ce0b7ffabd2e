import type { Explain } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const knownRow = z.object({ signature: z.string(), what: z.enum(['explained', 'stored', 'open']) });

/**
 * Explains landings of bytes that this service signed and stored, and marks their spends as matched
 * with the chain. `explained`: the spend is confirmed under this very signature. `open`: it is in
 * flight under it, and its watch is about to settle it. `stored`: of any other transaction, whose
 * events are stored already, all in one SQL transaction; a process that starts again goes back over
 * the last ones.
 *
 * The signed bytes prove the payment, and the program emits its event or fails. The event of a
 * yield movement holds amounts that no bytes tell, and a facilitator's payment is settled from the
 * chain alone: both are read.
 */
export function createExplainLandings(db: Database): Explain {
  return async (signatures) => {
    if (signatures.length === 0) return new Map();
    const landings = await db.any(sql.type(knownRow)`
      with told as materialized (
        select * from unnest(${sql.array([...signatures], 'text')}) as one (signature)
      ), own as materialized (
        select spend.spend_id, attempt.signature, spend.status = 'in_flight' as is_open,
          spend.event_joined_at is null as is_unjoined
        from told
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
      select told.signature, coalesce(
          case when own.is_open then 'open' when not own.is_open then 'explained' end,
          'stored') as what
      from told left join own on own.signature = told.signature
      where own.signature is not null
        or exists (select 1 from program_event where program_event.signature = told.signature)
    `);
    return new Map(landings.map(({ signature, what }) => [signature, what]));
  };
}
