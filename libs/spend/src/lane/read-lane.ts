import type { Database } from '@agent-wallet/db';
import { newestPolicy } from '@agent-wallet/wallet';
import { sql } from 'slonik';
import { z } from 'zod';
import { mayBeSigned, spendColumns, spendRow } from '../spend.ts';

const laneRow = z.object({
  sessionId: z.string(),
  walletId: z.string(),
  owner: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
  sessionPubkey: z.string(),
  sessionPda: z.string(),
  sessionIndex: z.bigint().nullable(),
  sessionStatus: z.enum(['awaiting_owner_signature', 'live', 'revoked']),
  liveSlot: z.bigint().nullable(),
  nextSeq: z.bigint(),
  lastSettledSlot: z.bigint(),
  policyVersion: z.number(),
  timeWindow: z.unknown().nullable(),
  inFlight: z.number(),
  oldestOpenSeq: z.bigint().nullable(),
});
const queuedRow = spendRow.extend({ overdue: z.boolean() });

/**
 * What a lane run needs to know of its session: keys, addresses, counters, the wallet's newest
 * policy (`policyVersion` is 0 without one) and the number of its own sends in flight. A payment
 * that a facilitator sends is not counted: it may stay open for minutes, and the lane does not wait
 * for it. `oldestOpenSeq` is the lowest spend_seq that has not settled.
 */
export type Lane = z.output<typeof laneRow>;

/**
 * A queued spend; `overdue` when its time is over: for the first claim, or, once an attempt has
 * expired, for being signed again.
 */
export type QueuedSpend = z.output<typeof queuedRow>;

/** A lane, and its first queued spends in the order in which they were accepted. */
export type LaneQueue = { readonly lane: Lane; readonly queued: readonly QueuedSpend[] };

const laneWithSpend = laneRow.extend(queuedRow.shape);
const laneAlone = laneRow.extend({ spendId: z.null() });
/** A row for each queued spend; without one, a row for the lane. */
export const laneQueueRow = z.union([laneWithSpend, laneAlone]);

/** Columns of {@link laneQueueRow}. Those of the lane come last: they are there without a spend. */
export const laneQueueColumns = sql.fragment`
  ${spendColumns}, not (${mayBeSigned}) as overdue,
  session.session_id as "sessionId", session.wallet_id as "walletId", wallet.owner,
  wallet.vault_pda as "vaultPda", wallet.vault_usdc_ata as "vaultUsdcAta",
  session.session_pubkey as "sessionPubkey", session.session_pda as "sessionPda",
  session.session_index as "sessionIndex", session.status as "sessionStatus",
  session.live_slot as "liveSlot", session.next_seq as "nextSeq",
  wallet.last_settled_slot as "lastSettledSlot",
  coalesce(policy.version, 0) as "policyVersion", policy.time_window as "timeWindow",
  open."inFlight", open."oldestOpenSeq"
`;

/** What belongs to a `session` in scope: its wallet, policy, open spends and queued `spend` rows. */
export const joinLaneQueue = (limit: number) => sql.fragment`
  join wallet on wallet.wallet_id = session.wallet_id
  left join lateral ${newestPolicy(sql.fragment`session.wallet_id`)} policy on true
  cross join lateral (
    select count(*) filter (where status = 'in_flight' and broadcaster = 'worker')::int
        as "inFlight",
      min(spend_seq) as "oldestOpenSeq"
    from spend where spend.session_id = session.session_id and settled_at is null
  ) open
  left join lateral (
    select * from spend
    where spend.session_id = session.session_id and settled_at is null and status = 'queued'
    order by accepted_no
    limit ${limit}
  ) spend on true
`;

/** Gathers the rows of one lane; null without any. */
export function laneQueueOf(rows: readonly z.output<typeof laneQueueRow>[]): LaneQueue | null {
  const [lane] = rows;
  if (lane === undefined) return null;
  return { lane, queued: rows.filter((row) => row.spendId !== null) };
}

/** Reads the lane of a session with at most `limit` spends; null when there is no such session. */
export async function readLane(
  db: Database,
  sessionId: string,
  limit: number,
): Promise<LaneQueue | null> {
  const rows = await db.any(sql.type(laneQueueRow)`
    select ${laneQueueColumns} from session ${joinLaneQueue(limit)}
    where session.session_id = ${sessionId}::uuid
    order by spend.accepted_no
  `);
  return laneQueueOf(rows);
}
