import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const eventData = z.object({
  session: z.string(),
  session_index: z.string(),
  spend_seq: z.string(),
  amount: z.string().optional(),
  recipient: z.string().optional(),
});

const unmatchedRow = z.object({
  signature: z.string(),
  instructionIndex: z.number(),
  innerIndex: z.number(),
  slot: z.bigint(),
  spendId: z.string(),
  reconcileAt: z.string(),
  data: eventData,
  walletId: z.string().nullable(),
  spend: z
    .object({
      walletId: z.string(),
      sessionId: z.string(),
      sessionPda: z.string(),
      sessionIndex: z.string().nullable(),
      spendSeq: z.string().nullable(),
      amount: z.string(),
      recipient: z.string().nullable(),
      status: z.enum(['queued', 'in_flight', 'confirmed', 'finalized', 'reverted', 'rejected']),
      txSignature: z.string().nullable(),
      attempt: z.number(),
      attemptOfSignature: z.number().nullable(),
      isForkedOut: z.boolean(),
    })
    .nullable(),
});

/**
 * A spend event read from the chain, with the current row of its spend (null when there is none).
 * `walletId` is the wallet of the event's vault, null for a vault of no wallet here. 64-bit
 * integers are decimal strings. `reconcileAt` is when it was due. `isForkedOut`: a correction has taken this landing back.
 */
export type UnmatchedEvent = z.output<typeof unmatchedRow>;

/** Reads the events that are due for matching now or within `withinMs`. */
export async function readUnmatched(
  db: Database,
  { withinMs, limit }: { readonly withinMs: number; readonly limit: number },
): Promise<readonly UnmatchedEvent[]> {
  return db.any(sql.type(unmatchedRow)`
    with due as (
      select * from program_event
      where reconcile_at <= now() + ${withinMs} * interval '1 millisecond'
      order by reconcile_at
      limit ${limit}
    )
    select due.signature, instruction_index as "instructionIndex", inner_index as "innerIndex",
      due.slot, due.spend_id as "spendId", due.reconcile_at::text as "reconcileAt", due.data, wallet.wallet_id as "walletId",
      case when spend.spend_id is null then null else json_build_object(
        'walletId', spend.wallet_id,
        'sessionId', spend.session_id,
        'sessionPda', session.session_pda,
        'sessionIndex', session.session_index::text,
        'spendSeq', spend.spend_seq::text,
        'amount', spend.amount::text,
        'recipient', spend.recipient,
        'status', spend.status,
        'txSignature', spend.tx_signature,
        'attempt', spend.attempt,
        'attemptOfSignature', (select attempt.attempt from attempt
          where attempt.signature = due.signature and attempt.spend_id = spend.spend_id),
        'isForkedOut', exists (select 1 from audit
          where audit.spend_id = spend.spend_id and reason = 'FORKED_OUT'
            and detail_signature = due.signature)
      ) end as spend
    from due
    left join wallet on wallet.vault_pda = due.vault
    left join spend on spend.spend_id = due.spend_id
    left join session on session.session_id = spend.session_id
    order by due.slot, due.signature, instruction_index, inner_index
  `);
}
