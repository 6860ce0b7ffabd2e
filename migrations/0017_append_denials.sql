-- Appends the deny rows of requests that became no spend to their wallet's chain, in one call. The
-- caller encodes a row but for its place in the chain: `before` and `after` are the JSON around
-- position and time. Tests run this file again with a defect in it, so it only replaces functions.
create or replace function append_denials(
  of_wallet uuid, audit_ids uuid[], session_ids uuid[], actions text[], amounts numeric[],
  recipients text[], recipients_or_urls text[], reasons text[], details text[], before text[],
  after text[])
returns void language plpgsql
as $$
declare
  rows_told constant integer := cardinality(audit_ids);
  -- Element 0 is the head that the new rows follow, element n the hash of the n-th row.
  chain bytea[];
  last_seq bigint;
  moment timestamptz;
  moment_text text;
begin
  select audit_seq, array_fill(audit_head, '{1}', '{0}') into strict last_seq, chain
  from wallet where wallet_id = of_wallet for no key update;
  moment := date_trunc('milliseconds', clock_timestamp());
  moment_text := to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  for place in 1 .. rows_told loop
    chain[place] := sha256(chain[place - 1] || convert_to(
      before[place] || '"' || last_seq + place || '","' || moment_text || '"' || after[place],
      'UTF8'));
  end loop;
  -- One statement: Postgres prepares the checks of a table anew for each.
  insert into audit (
    audit_id, wallet_id, seq, session_id, action, amount, recipient, recipient_or_url, decision,
    reason, detail, created_at, previous_hash, hash)
  select told.audit_id, of_wallet, last_seq + told.place, told.session_id, told.action, told.amount,
    told.recipient, told.recipient_or_url, 'deny', told.reason, told.detail, moment,
    told.previous_hash, told.hash
  from unnest(audit_ids, session_ids, actions, amounts, recipients, recipients_or_urls, reasons,
    details, chain[0 : rows_told - 1], chain[1 : rows_told]) with ordinality as told (
    audit_id, session_id, action, amount, recipient, recipient_or_url, reason, detail,
    previous_hash, hash, place);
  update wallet set audit_seq = last_seq + rows_told, audit_head = chain[rows_told]
  where wallet_id = of_wallet;
end
$$;
