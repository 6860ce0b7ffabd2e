import type { Database } from '@agent-wallet/db';
import { newestPolicy } from '@agent-wallet/wallet';
import { sql } from 'slonik';
import { z } from 'zod';

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

/**
 * What a lane run needs to know of its session: keys, addresses, counters, the wallet's newest
 * policy (`policyVersion` is 0 without one) and the number of its own sends in flight. A payment
 * that a facilitator sends is not counted: it may stay open for minutes, and the lane does not wait
 * for it. `oldestOpenSeq` is the lowest spend_seq that has not settled.
 */
export type Lane = z.output<typeof laneRow>;

/** Reads the lane of a session; null when there is no such session. */
export async function readLane(db: Database, sessionId: string): Promise<Lane | null> {
  return db.maybeOne(sql.type(laneRow)`
    select session.session_id as "sessionId", session.wallet_id as "walletId", wallet.owner,
      wallet.vault_pda as "vaultPda", wallet.vault_usdc_ata as "vaultUsdcAta",
      session.session_pubkey as "sessionPubkey", session.session_pda as "sessionPda",
      session.session_index as "sessionIndex", session.status as "sessionStatus",
      session.live_slot as "liveSlot", session.next_seq as "nextSeq",
      wallet.last_settled_slot as "lastSettledSlot",
      coalesce(policy.version, 0) as "policyVersion", policy.time_window as "timeWindow",
      (select count(*)::int from spend
        where spend.session_id = session.session_id and settled_at is null
          and spend.status = 'in_flight' and broadcaster = 'worker') as "inFlight",
      (select min(spend_seq) from spend
        where spend.session_id = session.session_id
          and settled_at is null and spend_seq is not null) as "oldestOpenSeq"
    from session join wallet on wallet.wallet_id = session.wallet_id
    left join lateral ${newestPolicy(sql.fragment`session.wallet_id`)} policy on true
    where session.session_id = ${sessionId}::uuid
  `);
}
