import type { Database } from '@agent-wallet/db';
import { sql, type FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { retryIdsOf } from '../spend-id.ts';
import { mayBeSigned, type Spend } from '../spend.ts';

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

const claimOutcome = z.enum([
  'claimed',
  'intake_closed',
  'landed',
  'paid_before',
  'seq_taken',
  'lost_lease',
  'policy_changed',
  'gone',
]);

/**
 * 'claimed': stored, now send. 'intake_closed': after a failover or a restore. 'landed': the chain
 * shows an event of this spend, which settles it. 'paid_before': it shows an event of a later
 * request under the same key, which a restored database has forgotten. 'seq_taken': the session's
 * counter moved, read it and build again. 'lost_lease': another run has the lane, stop.
 * 'policy_changed': the wallet has a newer policy, read it and decide again. 'gone': the spend is
 * not queued any more.
 */
export type ClaimOutcome = z.output<typeof claimOutcome>;

const claimedRow = z.object({ count: z.number(), outcome: claimOutcome });

/**
 * How many spends were claimed, from the first on. `outcome` is 'claimed' when these are all, else
 * the reason why the next one was not.
 */
export type Claimed = z.output<typeof claimedRow>;

/** A queued spend, and its next attempt. */
export type Claim = { readonly spend: Spend; readonly signed: SignedAttempt };

/**
 * Claims queued spends of one session and stores their next attempts, all in one statement. It
 * checks fence, sequence numbers, policy and rows; the claims before the first that is refused
 * stand, as if each had been made after the other. The bytes are committed before any is sent. With
 * `thenRelease` the lane is given back, unless a claim is refused.
 */
export async function claimSpends(
  db: Database,
  lane: { readonly sessionId: string; readonly walletId: string; readonly fence: bigint },
  claims: readonly Claim[],
  { thenRelease }: { readonly thenRelease: boolean },
): Promise<Claimed> {
  const { sessionId, walletId, fence } = lane;
  // What is locked is read as of its lock; the session before the lane, the lane before the spends.
  // The session's open spends have an index, which a plan made for a small table uses as well.
  return db.one(sql.type(claimedRow)`
    with wanted as (select * from ${claimsAsTable(claims)}),
    the_session as (
      select next_seq from session where session_id = ${sessionId}::uuid for no key update
    ),
    held as (
      select 1 from lane
      where session_id = ${sessionId}::uuid and exists (select 1 from the_session)
        and fence = ${fence} and lease_until > now()
      for no key update
    ),
    ready as (
      select spend.spend_id from spend join wanted on wanted.spend_id = spend.spend_id
      where spend.session_id = ${sessionId}::uuid and spend.settled_at is null
        and spend.status = 'queued' and spend.attempt = wanted.attempt
        and spend.broadcaster = case when wanted.signature is null then 'facilitator'
          else 'worker' end
        and (${mayBeSigned}) and exists (select 1 from held)
      order by spend.spend_id
      for no key update of spend
    ),
    judged as (
      select wanted.*, case
        when not (select is_open()) then 'intake_closed'
        when landed.spend_id = wanted.spend_id then 'landed'
        when landed.spend_id is not null then 'paid_before'
        -- A later attempt keeps the sequence number of the first: the program accepts it once.
        when wanted.attempt = 0 and wanted.spend_seq is distinct from
          (select next_seq from the_session) + count(*) filter (where wanted.attempt = 0) over before
          then 'seq_taken'
        when not exists (select 1 from held) then 'lost_lease'
        when wanted.policy_version <> (
          select coalesce(max(version), 0) from wallet_policy
          where wallet_id = ${walletId}::uuid) then 'policy_changed'
        when ready.spend_id is null then 'gone'
        else 'claimed' end as outcome
      from wanted
      left join ready on ready.spend_id = wanted.spend_id
      left join lateral (
        -- The spend itself if it has landed, else any other one under its key.
        select spend_id from program_event
        where spend_id between wanted.least and wanted.most
        order by spend_id = wanted.spend_id desc
        limit 1
      ) landed on true
      window before as (order by place rows between unbounded preceding and 1 preceding)
    ),
    refused as (
      select place, outcome from judged where outcome <> 'claimed' order by place limit 1
    ),
    kept as (
      select * from judged
      where not exists (select 1 from refused where refused.place <= judged.place)
    ),
    claimed as (
      update spend
      set status = 'in_flight', attempt = spend.attempt + 1, broadcasts = 0,
        spend_seq = kept.spend_seq, tx_signature = kept.signature,
        claimed_at = coalesce(claimed_at, now())
      from kept
      where spend.session_id = ${sessionId}::uuid and spend.settled_at is null
        and spend.spend_id = kept.spend_id and spend.status = 'queued'
        and spend.attempt = kept.attempt
      returning spend.spend_id, spend.attempt, spend.wallet_id, spend.session_id
    ),
    stored as (
      insert into attempt (
        spend_id, attempt, wallet_id, session_id, signature, wire, blockhash,
        last_valid_block_height, blockhash_slot, session_index, spend_seq, fee_payer)
      select claimed.spend_id, claimed.attempt, claimed.wallet_id, claimed.session_id, signature,
        wire, blockhash, last_valid_block_height, blockhash_slot, session_index, spend_seq,
        fee_payer
      from claimed join kept on kept.spend_id = claimed.spend_id
      order by place
      returning spend_id, attempt
    ),
    watched as (
      insert into attempt_watch (spend_id, attempt) select spend_id, attempt from stored
    ),
    counted as (
      update session
      set next_seq = next_seq + (select count(*) from kept where attempt = 0),
        fee_day = (now() at time zone 'utc')::date,
        fee_lamports = (select sum(fee_lamports) from kept)
          + case when fee_day = (now() at time zone 'utc')::date then fee_lamports else 0 end
      where session_id = ${sessionId}::uuid and exists (select 1 from kept)
    ),
    released as (
      update lane set lease_until = '-infinity', holder = null
      where session_id = ${sessionId}::uuid and ${thenRelease}
        and not exists (select 1 from refused)
    )
    select (select count(*)::int from claimed) as count,
      coalesce((select outcome from refused), 'claimed') as outcome
  `);
}

/** Types of the columns of {@link claimsAsTable}. */
const CLAIM_TYPES =
  'uuid int4 int8 uuid uuid int4 text bytea text int8 int8 numeric text int8'.split(' ');

/** One row for each claim, numbered by `place` in the order of the list. */
function claimsAsTable(claims: readonly Claim[]): FragmentSqlToken {
  const rows = claims.map(({ spend, signed }) => {
    const { least, most } = retryIdsOf(spend.spendId);
    return [
      spend.spendId,
      spend.attempt,
      signed.spendSeq,
      least,
      most,
      signed.policyVersion,
      signed.signature,
      Buffer.from(signed.wire),
      signed.blockhash,
      signed.lastValidBlockHeight,
      signed.blockhashSlot,
      signed.sessionIndex.toString(),
      signed.feePayer,
      signed.feeLamports,
    ];
  });
  return sql.fragment`${sql.unnest(rows, CLAIM_TYPES)} with ordinality as claim (
    spend_id, attempt, spend_seq, least, most, policy_version, signature, wire, blockhash,
    last_valid_block_height, blockhash_slot, session_index, fee_payer, fee_lamports, place)`;
}
