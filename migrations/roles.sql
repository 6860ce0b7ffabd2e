-- Who may do what in this database: one role for each process, none of which can log in by itself.
-- Applied as a whole after every run of the migrations: what is not granted here is taken away.
-- Only the owner of the tables changes the schema; nobody changes or deletes an audit row.

-- Roles belong to the whole cluster: another database may have made them, or be making them now.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['agent_wallet_api', 'agent_wallet_tx_worker',
    'agent_wallet_confirm_worker', 'agent_wallet_operator', 'agent_wallet_auditor']
  loop
    continue when exists (select 1 from pg_roles where rolname = wanted);
    begin
      execute format('create role %I nologin', wanted);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to agent_wallet_api, agent_wallet_tx_worker,'
    ' agent_wallet_confirm_worker, agent_wallet_operator, agent_wallet_auditor',
    current_database());
end
$$;

revoke all on schema public, bullmq from public, agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator, agent_wallet_auditor;
revoke all on all tables in schema public, bullmq from agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator, agent_wallet_auditor;
revoke all on all sequences in schema public, bullmq from agent_wallet_api,
  agent_wallet_tx_worker, agent_wallet_confirm_worker, agent_wallet_operator,
  agent_wallet_auditor;
revoke all on function database_identity(), is_open(), is_accepting(), keystore_fits(),
  free_spend_id(uuid, text, numeric, text), hold_wallet(uuid), accept_spends(uuid, jsonb),
  audit_hash(bytea, text, bigint, text, text),
  append_denials(uuid[], uuid[], uuid[], text[], numeric[], text[], text[], text[], text[], text[],
    text[]), confirm_landings(uuid, integer, uuid[], integer[], text[], bigint[]) from public;
grant usage on schema public to agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator, agent_wallet_auditor;
grant execute on function database_identity(), is_open() to agent_wallet_api,
  agent_wallet_tx_worker, agent_wallet_confirm_worker, agent_wallet_operator;
grant execute on function keystore_fits(), is_accepting() to agent_wallet_operator;
grant execute on function keystore_fits(), is_accepting(), free_spend_id(uuid, text, numeric, text),
  hold_wallet(uuid), accept_spends(uuid, jsonb),
  append_denials(uuid[], uuid[], uuid[], text[], numeric[], text[],
    text[], text[], text[], text[], text[]) to agent_wallet_api;
grant execute on function hold_wallet(uuid) to agent_wallet_tx_worker;
grant execute on function audit_hash(bytea, text, bigint, text, text) to agent_wallet_api,
  agent_wallet_confirm_worker;
grant execute on function confirm_landings(uuid, integer, uuid[], integer[], text[], bigint[])
  to agent_wallet_confirm_worker;

-- Every process compares the deployment; the first one stores it.
grant select on deployment to agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator, agent_wallet_auditor;
grant insert (genesis_hash, program_id, usdc_mint) on deployment to agent_wallet_api,
  agent_wallet_tx_worker, agent_wallet_confirm_worker;
-- Whether a schema is the one that a process was written for.
grant select (name, checksum) on migration to agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator, agent_wallet_auditor;
-- To shut; to open again takes the identity as well.
grant update (shut_at_height, shut_reason) on deployment to agent_wallet_tx_worker,
  agent_wallet_operator;
grant update (drained_at) on deployment to agent_wallet_operator;
-- Whether its key fits is for the one who has it to say.
grant update (keystore_refused_at) on deployment to agent_wallet_tx_worker;
grant update (shut_at_height, shut_reason, identity) on deployment to agent_wallet_confirm_worker;

-- Who leads the tasks that one copy does for all.
grant select, insert, update on leadership to agent_wallet_tx_worker, agent_wallet_confirm_worker;
grant select on leadership to agent_wallet_auditor;

-- The api: owners and agents, and the spends that they ask for. It takes a session key without
-- being able to read it, and settles nothing but what no worker ever took.
grant select, delete on sign_in_nonce to agent_wallet_api;
grant insert (nonce, expires_at), update (used_at) on sign_in_nonce to agent_wallet_api;
grant select, delete on owner_session to agent_wallet_api;
grant insert (owner, expires_at), update (revoked_at) on owner_session to agent_wallet_api;
grant select on wallet to agent_wallet_api;
grant insert (owner, vault_pda, vault_usdc_ata, max_deployed_fraction_bp),
  update (max_deployed_fraction_bp, status, active_slot, deployed_seen, audit_seq, audit_head)
  on wallet to agent_wallet_api;
grant select, insert on wallet_policy to agent_wallet_api;
grant select (pubkey, session_id, created_at), update (session_id)
  on session_key to agent_wallet_api;
grant select on session to agent_wallet_api;
grant insert (session_id, wallet_id, session_pubkey, session_pda, max_per_tx, daily_cap, expiry,
  allowed_recipients, allowed_instructions, idempotency_key, request_digest)
  on session to agent_wallet_api;
grant select on api_key to agent_wallet_api;
grant insert (key_hash, session_id, wallet_id, key_prefix), update (revoked_at)
  on api_key to agent_wallet_api;
grant insert (session_id, wallet_id) on lane to agent_wallet_api;
grant select on spend to agent_wallet_api;
grant insert (spend_id, wallet_id, session_id, kind, amount, reserved, recipient, url, broadcaster,
    facilitator_fee_payer, facilitator_memo, idempotency_key, request_digest, not_after),
  update (status, code, detail, settled_at, idempotency_key, request_digest, released_at,
    signature_hint) on spend to agent_wallet_api;
grant select (spend_id, attempt, wire, last_valid_block_height) on attempt to agent_wallet_api;
grant select (spend_id), update (look_at) on attempt_watch to agent_wallet_api;
grant select, insert on audit to agent_wallet_api;
grant select, update (reconcile_at) on program_event to agent_wallet_api;
grant select on service to agent_wallet_api;
grant select on delivery to agent_wallet_api;
grant insert (spend_id, wallet_id, session_id, slug, proof, method, url, headers, body,
    requirement, resource),
  update (state, tries, log, first_try_at, try_at, lease_until, refused_why, upstream_status,
    upstream_headers, upstream_body, upstream_body_sha256, delivered_at)
  on delivery to agent_wallet_api;
grant select, insert, update, delete on token_bucket, api_copy to agent_wallet_api;
grant select (public_key) on webhook_key to agent_wallet_api;
grant select, delete on webhook_endpoint to agent_wallet_api;
grant insert (endpoint_id, wallet_id, place, url, events, low_balance_below, audit_seq,
    idempotency_key, request_digest),
  update (url, events, low_balance_below, low_since, enabled, disabled_why, failing_since,
    audit_seq, test_at) on webhook_endpoint to agent_wallet_api;
grant select (endpoint_id, ends_at), insert (secret_id, endpoint_id, sealed), update (ends_at),
  delete on webhook_secret to agent_wallet_api;
grant select, insert (endpoint_id, wallet_id, event_id, type, body)
  on webhook_delivery to agent_wallet_api;

-- The tx-worker: session keys, lanes, signed attempts, refusals before any broadcast.
grant select on session_key to agent_wallet_tx_worker;
grant insert (pubkey, sealed, key_version), update (sealed, key_version)
  on session_key to agent_wallet_tx_worker;
grant select, insert (version, wrapped, wrapped_by) on data_key to agent_wallet_tx_worker;
grant select, update (audit_seq, audit_head) on wallet to agent_wallet_tx_worker;
grant select on wallet_policy to agent_wallet_tx_worker;
grant select, update (next_seq, fee_day, fee_lamports) on session to agent_wallet_tx_worker;
grant select, update (fence, holder, lease_until) on lane to agent_wallet_tx_worker;
grant select, update (status, code, detail, settled_at, idempotency_key, request_digest,
  tx_signature, attempt, broadcasts, spend_seq, claimed_at, faults)
  on spend to agent_wallet_tx_worker;
grant select (spend_id, attempt, signature, wire) on attempt to agent_wallet_tx_worker;
grant insert (spend_id, attempt, wallet_id, session_id, signature, wire, blockhash,
  last_valid_block_height, blockhash_slot, session_index, fee_payer, spend_seq)
  on attempt to agent_wallet_tx_worker;
grant select (spend_id, attempt, last_broadcast_at), insert (spend_id, attempt),
  update (look_at, last_broadcast_at) on attempt_watch to agent_wallet_tx_worker;
grant insert on audit to agent_wallet_tx_worker;
grant select (spend_id, session_pda) on program_event to agent_wallet_tx_worker;
grant select, insert, update (lamports, floor_lamports, seen_at)
  on fee_payer to agent_wallet_tx_worker;

-- The confirm-worker: what became of attempts, and what the program's events say.
grant select, update (status, active_slot, closed_slot, max_deployed_fraction_bp,
  last_settled_slot, audit_seq, audit_head) on wallet to agent_wallet_confirm_worker;
grant select, update (status, live_slot, revoked_slot, session_index, max_per_tx, daily_cap,
  expiry, allowed_recipients, allowed_instructions, next_seq)
  on session to agent_wallet_confirm_worker;
grant select, update (status, code, detail, settled_at, tx_signature, landed_slot, landed_error,
  broadcasts, finalized_at, final_look_at, event_joined_at)
  on spend to agent_wallet_confirm_worker;
grant select, update (state, signature, settled_slot) on attempt to agent_wallet_confirm_worker;
grant select, insert (spend_id, attempt, look_at), update (watch_until, look_at, last_broadcast_at),
  delete on attempt_watch to agent_wallet_confirm_worker;
grant select, insert on audit to agent_wallet_confirm_worker;
grant select, insert, update (reconcile_at) on program_event to agent_wallet_confirm_worker;
grant select, insert (slot), update (slot, updated_at)
  on program_cursor to agent_wallet_confirm_worker;
grant select, insert (before_signature, next_signature, slot), delete
  on program_walk_place to agent_wallet_confirm_worker;
grant select, insert (signature, slot, reason, look_at),
  update (reason, tries, look_at, skipped_at), delete
  on postponed_transaction to agent_wallet_confirm_worker;
grant select, insert (kind, subject, wallet_id, spend_id, signature, slot, detail)
  on unexplained to agent_wallet_confirm_worker;
grant select, insert (public_key, sealed_private_key)
  on webhook_key to agent_wallet_confirm_worker;
grant select, update (audit_seq, low_since, enabled, disabled_why, failing_since)
  on webhook_endpoint to agent_wallet_confirm_worker;
grant select on webhook_secret to agent_wallet_confirm_worker;
grant select, insert (endpoint_id, wallet_id, event_id, type, session_id, body),
  update (state, tries, try_at, lease_until, last_status, last_fault, ended_at), delete
  on webhook_delivery to agent_wallet_confirm_worker;

-- The command line: an operator keeps the catalogue, shuts after a restore, drains, sees what is open
-- and since when, and makes it due, without amounts, payees or bytes. An auditor reads.
grant select (spend_id, accepted_no, wallet_id, session_id, kind, status, attempt, broadcasts,
    broadcaster, faults, tx_signature, landed_slot, created_at, claimed_at, settled_at, finalized_at,
    final_look_at, released_at), update (final_look_at) on spend to agent_wallet_operator;
grant select (session_id, wallet_id, fence, holder, lease_until) on lane to agent_wallet_operator;
grant select (spend_id, attempt, signature, fee_payer, last_valid_block_height, stored_at)
  on attempt to agent_wallet_operator;
grant select (spend_id, attempt, look_at, watch_until), update (look_at)
  on attempt_watch to agent_wallet_operator;
grant select (spend_id, state) on delivery to agent_wallet_operator;
grant select on fee_payer to agent_wallet_operator;
grant select, insert (slug, name, base_url, enabled, pay_to, max_price, method, proof),
  update (enabled), delete on service to agent_wallet_operator;
grant select on wallet, spend, audit, program_event, program_cursor, unexplained
  to agent_wallet_auditor;
grant select (session_id, session_pda, session_index) on session to agent_wallet_auditor;

-- The queue, where it lives in Postgres. Who only nudges can neither end nor change a job.
grant usage on schema bullmq to agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator;
grant usage on all sequences in schema bullmq to agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator;
grant select on bullmq.migration to agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator;
grant select, insert on bullmq.meta, bullmq.job, bullmq.dedup, bullmq.dedup_next, bullmq.event
  to agent_wallet_api, agent_wallet_tx_worker, agent_wallet_confirm_worker, agent_wallet_operator;
grant update on bullmq.meta, bullmq.dedup, bullmq.dedup_next to agent_wallet_api,
  agent_wallet_tx_worker, agent_wallet_confirm_worker, agent_wallet_operator;
-- Old events are trimmed by whoever adds one.
grant delete on bullmq.event to agent_wallet_api, agent_wallet_tx_worker,
  agent_wallet_confirm_worker, agent_wallet_operator;
grant update, delete on bullmq.job, bullmq.job_dependency to agent_wallet_tx_worker;
grant delete on bullmq.dedup, bullmq.dedup_next to agent_wallet_tx_worker;
grant select on bullmq.job_dependency, bullmq.rate_limit, bullmq.scheduler
  to agent_wallet_tx_worker;
