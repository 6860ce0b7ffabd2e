-- Confirms spends of one wallet in one call: those in flight whose newest attempt landed under its
-- own signature, each with its audit row. Returns them; `has_queued` says whether the session has a
-- spend that waits for its lane. Volatile, because each statement must see what was committed while
-- the call waited for the lock. Tests run this file again with a defect in it, so it only replaces
-- functions.
create or replace function confirm_landings(
  of_wallet uuid, lock_wait_ms integer, spend_ids uuid[], attempts integer[], signatures text[],
  slots bigint[])
returns table (spend_id uuid, session_id uuid, attempt integer, has_queued boolean)
language plpgsql volatile
-- A plan is kept: one that was made while a table was small would go on reading all of it.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  -- Element 0 is the head that the new rows follow, element n the hash of the n-th row.
  chain bytea[];
  last_seq bigint;
  moment timestamptz;
  moment_text text;
  confirmed spend[];
  audit_ids uuid[];
  entry spend;
begin
  perform set_config('lock_timeout', lock_wait_ms || 'ms', true);
  select audit_seq, array_fill(audit_head, '{1}', '{0}') into strict last_seq, chain
  from wallet where wallet_id = of_wallet for no key update;
  moment := date_trunc('milliseconds', clock_timestamp());
  moment_text := to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

  -- The rows are locked first, in their order, and then judged as they are under the lock.
  with held as materialized (
    select spend.spend_id, spend.status, spend.attempt, spend.tx_signature, spend.broadcaster,
      told.attempt as landed_attempt, told.signature, told.slot
    from unnest(spend_ids, attempts, signatures, slots) as told (spend_id, attempt, signature, slot)
    join spend on spend.spend_id = told.spend_id and spend.wallet_id = of_wallet
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
    returning spend.spend_id, spend.attempt, spend.landed_slot, spend as whole
  ), closed as (
    update attempt set state = 'landed', settled_slot = landed.landed_slot
    from landed
    where attempt.spend_id = landed.spend_id and attempt.attempt = landed.attempt
  ), unwatched as (
    delete from attempt_watch as watch using landed
    where watch.spend_id = landed.spend_id and watch.attempt = landed.attempt
  )
  select array_agg(whole order by spend_id), array_agg(gen_random_uuid())
  into confirmed, audit_ids from landed;
  if confirmed is null then return; end if;

  -- The same text as hashEntry of libs/audit.
  for place in 1 .. cardinality(confirmed) loop
    entry := confirmed[place];
    chain[place] := sha256(chain[place - 1] || convert_to(
      format('["%s","%s","%s","%s","%s","%s",0,"%s","%s",%s,%s,"allow",null,null,"%s",null]',
        audit_ids[place], of_wallet, last_seq + place, moment_text, entry.session_id,
        entry.spend_id, entry.kind, entry.amount, coalesce(to_json(entry.recipient)::text, 'null'),
        coalesce(to_json(coalesce(entry.url, entry.recipient))::text, 'null'), entry.tx_signature),
      'UTF8'));
  end loop;
  -- One statement: Postgres prepares the checks of a table anew for each.
  insert into audit (
    audit_id, wallet_id, seq, session_id, spend_id, action, amount, recipient, recipient_or_url,
    decision, tx_signature, created_at, previous_hash, hash)
  select audit_ids[place], of_wallet, last_seq + place, spend.session_id, spend.spend_id, kind,
    amount, recipient, coalesce(url, recipient), 'allow', tx_signature, moment, chain[place - 1],
    chain[place]
  from generate_subscripts(confirmed, 1) as place,
    lateral (select (confirmed[place]).*) as spend;
  update wallet
  set audit_seq = last_seq + cardinality(confirmed), audit_head = chain[cardinality(confirmed)],
    last_settled_slot = greatest(
      last_settled_slot, (select max(landed_slot) from unnest(confirmed) as spend))
  where wallet_id = of_wallet;

  -- With "lateral", Postgres looks at the open spends of these sessions, never of all.
  return query
  select landed.spend_id, landed.session_id, landed.attempt, waiting.session_id is not null
  from unnest(confirmed) as landed
  left join (
    select session.session_id
    from (select distinct session_id from unnest(confirmed) as landed) as session
    cross join lateral (
      select from spend
      where spend.session_id = session.session_id and settled_at is null and status = 'queued'
      limit 1) as queued
  ) as waiting on waiting.session_id = landed.session_id;
end
$$;
