-- Appends the deny rows of requests that became no spend to the chains of their wallets, in one
-- call. Rows of one wallet stand together. A wallet whose row another SQL transaction holds is left
-- out, so that it does not delay the others. Returns the wallets whose rows were appended.
--
-- The caller encodes a row but for its place in the chain: `before` and `after` are the JSON around
-- position and time. Tests run this file again with a defect in it, so it only replaces functions.
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
    last_hash := sha256(last_hash || convert_to(
      before[place] || '"' || last_seq || '","' || moment_text || '"' || after[place], 'UTF8'));
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
