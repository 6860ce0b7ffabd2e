import { appendAfter, type AuditHead } from '@agent-wallet/audit';
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { auditFacts } from '../accept/deny-spend.ts';
import { spendRow } from '../spend.ts';

/** A landing that succeeded, of an attempt of the wallet. */
type LandedOk = {
  readonly spendId: string;
  readonly attemptNo: number;
  readonly signature: string;
  readonly slot: bigint;
};

const confirmedRow = spendRow
  .pick({ spendId: true, sessionId: true, kind: true, amount: true, recipient: true, url: true })
  .extend({
    attemptNo: z.number(),
    txSignature: z.string(),
    slot: z.bigint(),
    hasQueued: z.boolean(),
  });

/** A spend that became confirmed. `hasQueued`: its session has a spend that waits for its lane. */
type ConfirmedSpend = z.output<typeof confirmedRow>;

/**
 * Confirms the spends in flight whose newest attempt landed under its own signature, with their
 * audit rows. Returns them; the other landings need a closer look, one by one. The caller holds the
 * wallet row.
 */
export async function confirmLandings(
  tx: SqlTransaction,
  walletId: string,
  head: AuditHead,
  landings: readonly LandedOk[],
): Promise<readonly ConfirmedSpend[]> {
  if (landings.length === 0) return [];
  const confirmed = await moveToConfirmed(tx, landings);
  if (confirmed.length === 0) return [];
  const settledSlot = confirmed.reduce((newest, { slot }) => (slot > newest ? slot : newest), 0n);
  await appendAfter(tx, walletId, {
    head,
    settledSlot,
    entries: confirmed.map((spend) => ({
      ...auditFacts(spend),
      correction: 0,
      decision: 'allow',
      reason: null,
      detail: null,
      txSignature: spend.txSignature,
      detailSignature: null,
    })),
  });
  return confirmed;
}

function moveToConfirmed(
  tx: SqlTransaction,
  landings: readonly LandedOk[],
): Promise<readonly ConfirmedSpend[]> {
  const told = landings.map(
    ({ spendId, attemptNo, signature, slot }) => [spendId, attemptNo, signature, slot] as const,
  );
  // The rows are locked first, in their order, and then judged as they are under the lock. With
  // "lateral", Postgres looks at the open spends of these sessions, never of all.
  return tx.any(sql.type(confirmedRow)`
    with held as materialized (
      select spend.spend_id, spend.status, spend.attempt, spend.tx_signature, spend.broadcaster,
        told.attempt as landed_attempt, told.signature, told.slot
      from ${sql.unnest(told, ['uuid', 'int4', 'text', 'int8'])}
        as told (spend_id, attempt, signature, slot)
      join spend on spend.spend_id = told.spend_id
      order by spend.spend_id
      for no key update of spend
    ), landed as (
      update spend
      set status = 'confirmed', landed_slot = held.slot, landed_error = false, code = null,
        detail = null, event_joined_at = null, settled_at = now()
      from held
      where spend.spend_id = held.spend_id and held.status = 'in_flight'
        and held.broadcaster = 'worker' and held.attempt = held.landed_attempt
        and held.tx_signature = held.signature
      returning spend.*
    ), closed as (
      update attempt set state = 'landed', settled_slot = landed.landed_slot
      from landed
      where attempt.spend_id = landed.spend_id and attempt.attempt = landed.attempt
    ), unwatched as (
      delete from attempt_watch as watch using landed
      where watch.spend_id = landed.spend_id and watch.attempt = landed.attempt
    ), waiting as (
      select settled.session_id from (select distinct session_id from landed) as settled
      cross join lateral (
        select from spend
        where spend.session_id = settled.session_id and settled_at is null and status = 'queued'
        limit 1
      ) as queued
    )
    select spend_id as "spendId", session_id as "sessionId", kind, amount, recipient, url,
      attempt as "attemptNo",
      tx_signature as "txSignature", landed_slot as slot,
      session_id in (select session_id from waiting) as "hasQueued"
    from landed
    order by spend_id
  `);
}
