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

export const CLAIM_OUTCOMES: readonly ClaimOutcome[] = claimOutcome.options;

const claimedRow = z.object({ count: z.number(), outcome: claimOutcome });

/**
 * How many spends of a lane were claimed, from the first on. `outcome` is 'claimed' when these are
 * all, else the reason why the next one was not.
 */
export type Claimed = z.output<typeof claimedRow>;

/** A queued spend, and its next attempt. */
export type Claim = { readonly spend: Spend; readonly signed: SignedAttempt };

/** Claims of a lane that is held under `fence`. With `thenRelease` it is given back with them. */
export type LaneClaims = {
  readonly sessionId: string;
  readonly fence: bigint;
  readonly claims: readonly Claim[];
  readonly thenRelease: boolean;
};

/**
 * Claims queued spends of different sessions of one wallet and stores their next attempts, all in
 * one statement; returns what became of each lane, in their order. It checks fence, sequence
 * numbers, policy and rows. The claims of a lane before the first that is refused stand, as if each
 * had been made after the other, and no lane depends on another. The bytes are committed before any
 * is sent. A lane with a refused claim is not given back.
 */
export async function claimSpends(
  db: Database,
  walletId: string,
  lanes: readonly LaneClaims[],
): Promise<readonly Claimed[]> {
  const sessionIds = sql.array(
    lanes.map(({ sessionId }) => sessionId),
    'uuid',
  );
  // What is locked is read as of its lock: all sessions before the first lane, all lanes before the
  // first spend; the counts force that order. The open spends of a session have an index, which a
  // plan made for a small table uses as well.
  return db.any(sql.type(claimedRow)`
    with asked as (select * from ${lanesAsTable(lanes)}),
    wanted as (
      select asked.session_id, claim.* from ${claimsAsTable(lanes)}
      join asked on asked.lane_no = claim.lane_no
    ),
    counter as (
      select session_id, session_pda, next_seq from session
      where session_id = any(${sessionIds})
      order by session_id
      for no key update
    ),
    held as (
      select asked.lane_no from lane join asked on asked.session_id = lane.session_id
      where (select count(*) from counter) > 0
        and lane.fence = asked.fence and lane.lease_until > now()
      order by lane.session_id
      for no key update of lane
    ),
    ready as (
      select spend.spend_id from spend join wanted on wanted.spend_id = spend.spend_id
      where spend.session_id = any(${sessionIds}) and spend.session_id = wanted.session_id
        and spend.settled_at is null
        and spend.status = 'queued' and spend.attempt = wanted.attempt
        and spend.broadcaster = case when wanted.signature is null then 'facilitator'
          else 'worker' end
        and (${mayBeSigned}) and (select count(*) from held) > 0
        and wanted.lane_no in (select lane_no from held)
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
          counter.next_seq + count(*) filter (where wanted.attempt = 0) over before
          then 'seq_taken'
        when held.lane_no is null then 'lost_lease'
        when wanted.policy_version <> (
          select coalesce(max(version), 0) from wallet_policy
          where wallet_id = ${walletId}::uuid) then 'policy_changed'
        when ready.spend_id is null then 'gone'
        else 'claimed' end as outcome
      from wanted
      left join counter on counter.session_id = wanted.session_id
      left join held on held.lane_no = wanted.lane_no
      left join ready on ready.spend_id = wanted.spend_id
      left join lateral (
        -- The spend itself if it has landed, else any other one under its key. Anybody can emit
        -- these ids in a session of their own.
        select spend_id from program_event
        where program_event.session_pda = counter.session_pda
          and spend_id between wanted.least and wanted.most
        order by spend_id = wanted.spend_id desc
        limit 1
      ) landed on true
      window before as (
        partition by wanted.lane_no order by place
        rows between unbounded preceding and 1 preceding)
    ),
    refused as (
      select distinct on (lane_no) lane_no, place, outcome from judged
      where outcome <> 'claimed'
      order by lane_no, place
    ),
    kept as (
      select judged.* from judged left join refused on refused.lane_no = judged.lane_no
      where refused.place is null or judged.place < refused.place
    ),
    claimed as (
      update spend
      set status = 'in_flight', attempt = spend.attempt + 1, broadcasts = 0,
        spend_seq = kept.spend_seq, tx_signature = kept.signature,
        claimed_at = coalesce(claimed_at, now())
      from kept
      where spend.session_id = any(${sessionIds}) and spend.settled_at is null
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
      set next_seq = next_seq + used.numbers, fee_day = (now() at time zone 'utc')::date,
        fee_lamports = used.lamports
          + case when fee_day = (now() at time zone 'utc')::date then fee_lamports else 0 end
      from (
        select session_id, count(*) filter (where attempt = 0) as numbers,
          sum(fee_lamports) as lamports
        from kept group by session_id) used
      where session.session_id = used.session_id
    ),
    released as (
      update lane set lease_until = '-infinity', holder = null
      from asked
      where lane.session_id = asked.session_id and then_release
        and not exists (select 1 from refused where refused.lane_no = asked.lane_no)
    )
    select (
        select count(*)::int from claimed join kept on kept.spend_id = claimed.spend_id
        where kept.lane_no = asked.lane_no) as count,
      coalesce(refused.outcome, 'claimed') as outcome
    from asked left join refused on refused.lane_no = asked.lane_no
    order by asked.lane_no
  `);
}

/** One row for each lane, numbered by `lane_no` from 1. */
function lanesAsTable(lanes: readonly LaneClaims[]): FragmentSqlToken {
  const rows = lanes.map(({ sessionId, fence, thenRelease }) => [sessionId, fence, thenRelease]);
  return sql.fragment`${sql.unnest(rows, ['uuid', 'int8', 'bool'])} with ordinality as held_lane (
    session_id, fence, then_release, lane_no)`;
}

/** Types of the columns of {@link claimsAsTable}. */
const CLAIM_TYPES =
  'int8 uuid int4 int8 uuid uuid int4 text bytea text int8 int8 numeric text int8'.split(' ');

/** One row for each claim, numbered by `place` in the order of the lists. */
function claimsAsTable(lanes: readonly LaneClaims[]): FragmentSqlToken {
  const rows = lanes.flatMap(({ claims }, index) =>
    claims.map(({ spend, signed }) => {
      const { least, most } = retryIdsOf(spend.spendId);
      return [
        index + 1,
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
    }),
  );
  return sql.fragment`${sql.unnest(rows, CLAIM_TYPES)} with ordinality as claim (
    lane_no, spend_id, attempt, spend_seq, least, most, policy_version, signature, wire,
    blockhash, last_valid_block_height, blockhash_slot, session_index, fee_payer, fee_lamports,
    place)`;
}
