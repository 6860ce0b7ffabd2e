-- One form of the hash of an audit row for every function of the database. Tests run this file
-- again with a defect in it, so it only replaces functions.

-- The hash of a row: of the previous one's, and of the JSON of its fields around its place in the
-- chain and its time. The same as hashEntry of libs/audit.
create or replace function audit_hash(
  previous_hash bytea, before text, seq bigint, moment text, after text)
returns bytea language sql stable parallel safe
-- A body that Postgres puts in the place of the call.
return sha256(previous_hash || convert_to(
  before || '"' || seq || '","' || moment || '"' || after, 'UTF8'));

-- Appends the deny rows of requests that became no spend to the chains of their wallets, in one
-- call. Rows of one wallet stand together. A wallet whose row another SQL transaction holds is left
-- out, so that it does not delay the others. Returns the wallets whose rows were appended.
--
-- The caller encodes a row but for its place in the chain: `before` and `after` are the JSON around
-- position and time.
create or replace function append_denials(
  wallet_ids uuid[], audit_ids uuid[], session_ids uuid[], actions text[], amounts numeric[],
  recipients text[], recipients_or_urls text[], reasons text[], details text[], before text[],
  after text[])
returns setof uuid language plpgsql
as $$
declare
  rows_told constant integer := cardinality(audit_ids);
  of_wallet uuid;
  is_free boolean;
  last_seq bigint;
  last_hash bytea;
  moment timestamptz;
  moment_text text;
  -- By place; null for a row that is left out.
  seqs bigint[] := array_fill(null::bigint, array[rows_told]);
  moments timestamptz[] := array_fill(null::timestamptz, array[rows_told]);
  previous_hashes bytea[] := array_fill(null::bytea, array[rows_told]);
  hashes bytea[] := array_fill(null::bytea, array[rows_told]);
begin
  for place in 1 .. rows_told loop
    if wallet_ids[place] is distinct from of_wallet then
      of_wallet := wallet_ids[place];
      select audit_seq, audit_head into last_seq, last_hash
      from wallet where wallet_id = of_wallet for no key update skip locked;
      is_free := found;
      moment := date_trunc('milliseconds', clock_timestamp());
      moment_text := to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
    end if;
    continue when not is_free;
    last_seq := last_seq + 1;
    seqs[place] := last_seq;
    moments[place] := moment;
    previous_hashes[place] := last_hash;
    last_hash := audit_hash(last_hash, before[place], last_seq, moment_text, after[place]);
    hashes[place] := last_hash;
  end loop;
  -- One statement for all rows: each one prepares the checks of the table anew.
  insert into audit (
    wallet_id, audit_id, session_id, action, amount, recipient, recipient_or_url, reason, detail,
    seq, created_at, previous_hash, hash, decision)
  select told.*, 'deny'
  from unnest(wallet_ids, audit_ids, session_ids, actions, amounts, recipients, recipients_or_urls,
    reasons, details, seqs, moments, previous_hashes, hashes) as told (
    wallet_id, audit_id, session_id, action, amount, recipient, recipient_or_url, reason, detail,
    seq, created_at, previous_hash, hash)
  where told.hash is not null;
  return query
  update wallet set audit_seq = ends.seq, audit_head = ends.hash
  from (
    select distinct on (told.wallet_id) told.*
    from unnest(wallet_ids, seqs, hashes) as told (wallet_id, seq, hash)
    where told.hash is not null
    order by told.wallet_id, told.seq desc) as ends
  where wallet.wallet_id = ends.wallet_id
  returning wallet.wallet_id;
end
$$;

-- Confirms spends of one wallet in one call: those in flight whose newest attempt landed under its
-- own signature, each with its audit row. Returns them; `has_queued` says whether the session has a
-- spend that waits for its lane. Volatile, because each statement must see what was committed while
-- the call waited for the lock.
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

  for place in 1 .. cardinality(confirmed) loop
    entry := confirmed[place];
    chain[place] := audit_hash(chain[place - 1],
      format('["%s","%s",', audit_ids[place], of_wallet), last_seq + place, moment_text,
      format(',"%s","%s",0,"%s","%s",%s,%s,"allow",null,null,"%s",null]', entry.session_id,
        entry.spend_id, entry.kind, entry.amount, coalesce(to_json(entry.recipient)::text, 'null'),
        coalesce(to_json(coalesce(entry.url, entry.recipient))::text, 'null'),
        entry.tx_signature));
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
