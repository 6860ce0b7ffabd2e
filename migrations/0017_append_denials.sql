-- Appends the deny rows of requests that became no spend to their wallet's chain, in one call. The
-- caller encodes a row but for its place in the chain: `before` and `after` are the JSON around
-- position and time. Tests run this file again with a defect in it, so it only replaces functions.
create or replace function append_denials(
  of_wallet uuid, audit_ids uuid[], session_ids uuid[], actions text[], amounts numeric[],
  recipients text[], recipients_or_urls text[], reasons text[], details text[], before text[],
  after text[])
returns void language plpgsql
as $$
#variable_conflict use_column
declare
  last_seq bigint;
  last_hash bytea;
  hash_before bytea;
  moment timestamptz;
  denial record;
begin
  select audit_seq, audit_head into strict last_seq, last_hash
  from wallet where wallet_id = of_wallet for no key update;
  moment := date_trunc('milliseconds', clock_timestamp());
  for denial in
    select * from unnest(audit_ids, session_ids, actions, amounts, recipients, recipients_or_urls,
      reasons, details, before, after) as told (
      audit_id, session_id, action, amount, recipient, recipient_or_url, reason, detail, json_before,
      json_after)
  loop
    last_seq := last_seq + 1;
    hash_before := last_hash;
    last_hash := sha256(hash_before || convert_to(
      denial.json_before || '"' || last_seq || '","'
        || to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'
        || denial.json_after, 'UTF8'));
    insert into audit (
      audit_id, wallet_id, seq, session_id, action, amount, recipient, recipient_or_url, decision,
      reason, detail, created_at, previous_hash, hash)
    values (
      denial.audit_id, of_wallet, last_seq, denial.session_id, denial.action, denial.amount,
      denial.recipient, denial.recipient_or_url, 'deny', denial.reason, denial.detail, moment,
      hash_before, last_hash);
  end loop;
  update wallet set audit_seq = last_seq, audit_head = last_hash where wallet_id = of_wallet;
end
$$;
