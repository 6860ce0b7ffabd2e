-- Standard x402 offers of services outside the catalog: the agent gives the transaction to the service
-- itself, and a facilitator sends it. Tests run this file again with a defect in it.
alter table spend
  drop constraint if exists spend_facilitator_is_of_a_service,
  add constraint spend_facilitator_is_of_a_service
    check (broadcaster = 'worker' or kind in ('pay_service', 'sign_payment'));

-- Decides about requests of one wallet, in their order, while it holds the wallet's row, so that no
-- two share the same base units. Returns one row for each request; `known` is the spend of the
-- outcomes 'accepted' and 'existing'. Any other outcome writes nothing. Volatile, because each
-- statement must see what was committed while the call waited for the lock.
create or replace function accept_spends(of_wallet uuid, requests jsonb)
returns table (
  outcome text, used_up text, retry_after_seconds integer, reserved_now numeric, known spend)
language plpgsql volatile
-- Dead entries of an index are skipped by plain scans of it only.
set enable_seqscan = off
set enable_bitmapscan = off
-- Postgres would plan statements with arrays anew for each call, which costs more than they do.
set plan_cache_mode = force_generic_plan
-- A wallet whose row is held for long leaves the connections to the others.
set lock_timeout = '100ms'
as $$
#variable_conflict use_column
declare
  asked constant integer := jsonb_array_length(requests);
  -- Of one session. Their money stays reserved until they land or expire, which the agent decides.
  most_handed_out constant integer := 16;
  accepts_spends boolean;
  has_keystore boolean;
  wallet_open bigint;
  open_reserved numeric;
  landed_since bigint;
  landed_reserved numeric;
  wanted record;
  used record;
  -- Of the newest request: what it becomes, or the spend that an earlier one under its key became.
  made spend;
  -- What this call accepts, and session and key of each.
  accepted spend[] := '{}';
  accepted_keys text[] := '{}';
  deliveries jsonb[] := '{}';
  -- By the place of the request.
  place integer := 0;
  outcomes text[] := array_fill(null::text, array[asked]);
  used_ups text[] := array_fill(null::text, array[asked]);
  retries integer[] := array_fill(null::integer, array[asked]);
  reserves numeric[] := array_fill(null::numeric, array[asked]);
  spend_ids uuid[] := array_fill(null::uuid, array[asked]);
begin
  perform 1 from wallet where wallet_id = of_wallet for no key update;
  accepts_spends := is_open();
  has_keystore := keystore_fits();
  select count(*), coalesce(sum(reserved), 0) into wallet_open, open_reserved
  from spend where wallet_id = of_wallet and settled_at is null;

  for wanted in
    select * from jsonb_to_recordset(requests) as request (
      spend_id uuid, session_id uuid, kind text, amount numeric, reserved numeric, recipient text,
      url text, broadcaster text, fee_payer text, memo text, idempotency_key text,
      request_digest bytea, liquid numeric, liquid_slot bigint, not_after_ms float8,
      session_limit bigint, wallet_limit bigint, lamports_per_day bigint, reverts_per_day bigint,
      delivery jsonb)
  loop
    place := place + 1;
    if wanted.idempotency_key is not null then
      select spend.* into made from spend
      where session_id = wanted.session_id and idempotency_key = wanted.idempotency_key;
      if not found then
        made := accepted[array_position(
          accepted_keys, wanted.session_id || ' ' || wanted.idempotency_key)];
      end if;
      if made.spend_id is not null then
        if made.request_digest is not distinct from wanted.request_digest then
          outcomes[place] := 'existing';
          spend_ids[place] := made.spend_id;
        else
          outcomes[place] := 'key_reused';
        end if;
        continue;
      end if;
    end if;

    if not accepts_spends then
      outcomes[place] := 'intake_closed';
      continue;
    end if;
    if not has_keystore then
      outcomes[place] := 'no_keystore';
      continue;
    end if;

    select session_pda,
      (select count(*) from spend
        where session_id = wanted.session_id and settled_at is null) as session_open,
      case when fee_day = (now() at time zone 'utc')::date then fee_lamports else 0 end as lamports,
      ceil(extract(epoch from date_trunc('day', now() at time zone 'utc') + interval '1 day'
        - (now() at time zone 'utc')))::integer as seconds_to_midnight,
      reverted.count as reverts, reverted.seconds as seconds_to_oldest_leaves
    into strict used
    from session, lateral (
      select count(*) as count,
        coalesce(ceil(extract(epoch from min(settled_at) + interval '24 hours' - now())), 0)::integer
          as seconds
      from spend
      where spend.session_id = session.session_id and landed_error
        and settled_at > now() - interval '24 hours') reverted
    where session.session_id = wanted.session_id;

    -- Every queue has a bound: requests that come faster than the chain settles are refused.
    if wallet_open >= wanted.wallet_limit or wanted.session_limit <= used.session_open
      + (select count(*) from unnest(accepted) where session_id = wanted.session_id)
    then
      outcomes[place] := 'too_many_pending';
      continue;
    end if;
    if wanted.broadcaster = 'facilitator' and wanted.kind = 'sign_payment'
      and most_handed_out <= (
        select count(*) from spend
        where session_id = wanted.session_id and settled_at is null
          and broadcaster = 'facilitator' and kind = 'sign_payment')
      + (select count(*) from unnest(accepted)
        where session_id = wanted.session_id
          and broadcaster = 'facilitator' and kind = 'sign_payment')
    then
      outcomes[place] := 'too_many_handed_out';
      continue;
    end if;
    if used.lamports >= wanted.lamports_per_day then
      outcomes[place] := 'over_budget';
      used_ups[place] := 'fees';
      retries[place] := used.seconds_to_midnight;
      continue;
    end if;
    if used.reverts >= wanted.reverts_per_day then
      outcomes[place] := 'over_budget';
      used_ups[place] := 'reverts';
      retries[place] := used.seconds_to_oldest_leaves;
      continue;
    end if;

    if wanted.liquid is not null then
      -- A landing in the very slot of the balance may or may not be in it. Counted twice it costs a
      -- short wait; not counted it could promise the same money twice.
      if landed_since is distinct from wanted.liquid_slot then
        landed_since := wanted.liquid_slot;
        select coalesce(sum(reserved), 0) into landed_reserved from spend
        where wallet_id = of_wallet and landed_slot >= landed_since
          and status in ('confirmed', 'finalized');
      end if;
      if wanted.amount > wanted.liquid or (wanted.reserved > 0
        and wanted.amount > wanted.liquid - open_reserved - landed_reserved)
      then
        outcomes[place] := 'insufficient';
        reserves[place] := open_reserved + landed_reserved;
        continue;
      end if;
    end if;

    made := null;
    made.spend_id := case when wanted.idempotency_key is null then wanted.spend_id
      else free_spend_id(wanted.spend_id, used.session_pda, wanted.amount, wanted.recipient) end;
    made.session_id := wanted.session_id;
    made.kind := wanted.kind;
    made.amount := wanted.amount;
    made.reserved := wanted.reserved;
    made.recipient := wanted.recipient;
    made.url := wanted.url;
    made.broadcaster := wanted.broadcaster;
    made.facilitator_fee_payer := wanted.fee_payer;
    made.facilitator_memo := wanted.memo;
    made.idempotency_key := wanted.idempotency_key;
    made.request_digest := wanted.request_digest;
    made.not_after := now() + wanted.not_after_ms * interval '1 millisecond';
    accepted := accepted || made;
    accepted_keys := accepted_keys || (wanted.session_id || ' ' || wanted.idempotency_key);
    deliveries := deliveries || wanted.delivery;
    wallet_open := wallet_open + 1;
    open_reserved := open_reserved + wanted.reserved;
    outcomes[place] := 'accepted';
    spend_ids[place] := made.spend_id;
  end loop;

  -- One statement for all rows: each one prepares the checks of the table anew.
  insert into spend (
    spend_id, wallet_id, session_id, kind, amount, reserved, recipient, url, broadcaster,
    facilitator_fee_payer, facilitator_memo, idempotency_key, request_digest, not_after)
  select spend_id, of_wallet, session_id, kind, amount, reserved, recipient, url, broadcaster,
    facilitator_fee_payer, facilitator_memo, idempotency_key, request_digest, not_after
  from unnest(accepted);
  if array_remove(deliveries, null) <> '{}' then
    insert into delivery (
      spend_id, wallet_id, session_id, slug, proof, method, url, headers, body, requirement,
      resource)
    select (accepted[bought_no]).spend_id, of_wallet, (accepted[bought_no]).session_id, slug, proof,
      method, url, headers, decode(body, 'base64'), requirement, resource
    from unnest(deliveries) with ordinality as told (delivery, bought_no),
      jsonb_to_record(told.delivery) as bought (
        slug text, proof text, method text, url text, headers jsonb, body text, requirement text,
        resource text)
    where told.delivery is not null;
  end if;
  -- A restored database may have seen the landing of these spends before their requests came again.
  update program_event event set reconcile_at = now()
  from unnest(accepted) as new_spend join session on session.session_id = new_spend.session_id
  where event.session_pda = session.session_pda and event.spend_id = new_spend.spend_id;

  return query
  select decided.outcome, decided.used_up, decided.retry_after_seconds, decided.reserved_now, spend
  from unnest(outcomes, used_ups, retries, reserves, spend_ids) with ordinality as decided (
      outcome, used_up, retry_after_seconds, reserved_now, spend_id, place)
    left join spend on spend.spend_id = decided.spend_id
  order by decided.place;
end
$$;
