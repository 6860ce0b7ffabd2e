import type { Database, SqlTransaction } from '@agent-wallet/db';
import { readPolicyVersion } from '@agent-wallet/wallet';
import { sql } from 'slonik';
import { z } from 'zod';
import { retryIdsOf } from '../spend-id.ts';
import { isAcceptingSpends } from '../accept/is-accepting-spends.ts';
import { mayBeSigned, type Spend } from '../spend.ts';

/** NOTIFY channel that wakes the confirm-worker after a claim. */
export const ATTEMPT_STORED = 'attempt_stored';

/** A signed chain transaction that has not been sent yet. */
export type SignedAttempt = {
  /** Null when the fee payer's signature is still missing: a facilitator adds it. */
  readonly signature: string | null;
  readonly wire: Uint8Array;
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
  /** Slot at which the blockhash was read. */
  readonly blockhashSlot: bigint;
  readonly sessionIndex: bigint;
  readonly feePayer: string;
  readonly spendSeq: bigint;
  /** What our fee payer pays if it lands; 0 when it is a facilitator's. */
  readonly feeLamports: bigint;
  /** Version of the wallet's policy that allowed it; 0 without one. */
  readonly policyVersion: number;
};

/**
 * 'claimed': stored, now send. 'lost_lease': another run has the lane, stop. 'seq_taken': the
 * session's counter moved, read it and build again. 'policy_changed': the wallet has a newer
 * policy, read it and decide again. 'gone': the spend is not queued any more. 'landed': the chain
 * shows an event of this spend, which settles it. 'paid_before': it shows an event of a later
 * request under the same key, which a restored database has forgotten. 'intake_closed': after a
 * failover or a restore.
 */
export type ClaimOutcome =
  | 'claimed'
  | 'lost_lease'
  | 'seq_taken'
  | 'policy_changed'
  | 'gone'
  | 'landed'
  | 'paid_before'
  | 'intake_closed';

/**
 * Claims a queued spend and stores its next attempt in one SQL transaction. It checks the fence,
 * the sequence number, the policy and the row, and the bytes are committed before the first send.
 */
export async function claimSpend(
  db: Database,
  claim: { readonly spend: Spend; readonly fence: bigint; readonly signed: SignedAttempt },
): Promise<ClaimOutcome> {
  const outcome = await db
    .transaction(async (tx): Promise<ClaimOutcome> => {
      await storeAttempt(tx, claim);
      return 'claimed';
    })
    .catch((error: unknown): ClaimOutcome => {
      if (error instanceof ClaimRefused) return error.outcome;
      throw error;
    });
  if (outcome === 'claimed') await db.query(sql.unsafe`select pg_notify(${ATTEMPT_STORED}, '')`);
  return outcome;
}

/** Rolls the SQL transaction back; never leaves this file. */
class ClaimRefused extends Error {
  readonly outcome: Exclude<ClaimOutcome, 'claimed'>;

  constructor(outcome: Exclude<ClaimOutcome, 'claimed'>) {
    super(outcome);
    this.outcome = outcome;
  }
}

/** The spend itself if it has landed, else any other one under its key; null: none of them. */
async function findLandedUnderKey(tx: SqlTransaction, spendId: string): Promise<string | null> {
  const { least, most } = retryIdsOf(spendId);
  return tx.maybeOneFirst(sql.type(z.object({ spendId: z.string() }))`
    select spend_id as "spendId" from program_event
    where spend_id between ${least}::uuid and ${most}::uuid
    order by spend_id = ${spendId}::uuid desc
    limit 1
  `);
}

async function storeAttempt(
  tx: SqlTransaction,
  { spend, fence, signed }: Parameters<typeof claimSpend>[1],
): Promise<void> {
  if (!(await isAcceptingSpends(tx))) throw new ClaimRefused('intake_closed');
  const landed = await findLandedUnderKey(tx, spend.spendId);
  if (landed !== null) throw new ClaimRefused(landed === spend.spendId ? 'landed' : 'paid_before');
  // One statement: a row that is updated twice in one SQL transaction has its foreign keys checked
  // anew, and the check would wait for the wallet's lock, against the order of locks.
  // A later attempt keeps the sequence number of the first: the program accepts it once.
  const isFirst = spend.attempt === 0;
  const moved = await tx.maybeOne(sql.unsafe`
    update session
    set next_seq = case when ${isFirst} then ${signed.spendSeq + 1n} else next_seq end,
      fee_day = (now() at time zone 'utc')::date,
      fee_lamports = ${signed.feeLamports}
        + case when fee_day = (now() at time zone 'utc')::date then fee_lamports else 0 end
    where session_id = ${spend.sessionId}::uuid
      and (not ${isFirst} or next_seq = ${signed.spendSeq})
    returning 1 as one
  `);
  if (moved === null) throw new ClaimRefused('seq_taken');
  const held = await tx.maybeOne(sql.unsafe`
    select 1 as one from lane
    where session_id = ${spend.sessionId}::uuid and fence = ${fence} and lease_until > now()
    for update
  `);
  if (held === null) throw new ClaimRefused('lost_lease');
  // Last, so that a policy set while the lane read and signed still decides about this spend.
  if ((await readPolicyVersion(tx, spend.walletId)) !== signed.policyVersion) {
    throw new ClaimRefused('policy_changed');
  }
  const claimed = await tx.maybeOne(sql.unsafe`
    update spend
    set status = 'in_flight', attempt = attempt + 1, broadcasts = 0,
      spend_seq = ${signed.spendSeq}, tx_signature = ${signed.signature},
      claimed_at = coalesce(claimed_at, now())
    where spend_id = ${spend.spendId}::uuid and status = 'queued' and attempt = ${spend.attempt}
      and broadcaster = ${signed.signature === null ? 'facilitator' : 'worker'}
      and (${mayBeSigned})
    returning 1 as one
  `);
  if (claimed === null) throw new ClaimRefused('gone');
  await tx.query(sql.unsafe`
    with stored as (
      insert into attempt (
        spend_id, attempt, wallet_id, session_id, signature, wire, blockhash,
        last_valid_block_height, blockhash_slot, session_index, fee_payer, spend_seq)
      values (
        ${spend.spendId}::uuid, ${spend.attempt + 1}, ${spend.walletId}::uuid,
        ${spend.sessionId}::uuid, ${signed.signature}, ${sql.binary(Buffer.from(signed.wire))},
        ${signed.blockhash}, ${signed.lastValidBlockHeight}, ${signed.blockhashSlot},
        ${signed.sessionIndex.toString()}::numeric, ${signed.feePayer}, ${signed.spendSeq})
      returning spend_id, attempt
    )
    insert into attempt_watch (spend_id, attempt) select spend_id, attempt from stored
  `);
}
