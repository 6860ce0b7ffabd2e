-- A spend: the row is the truth about what was asked, what was decided and what became of it.
create table spend (
  spend_id uuid not null,
  -- Order of acceptance; a session's spends are claimed in it.
  accepted_no bigint not null generated always as identity,
  wallet_id uuid not null,
  session_id uuid not null,
  kind text not null,
  amount numeric(20, 0) not null,
  -- How much of the vault's liquid balance it holds until it settles; 0 when the chain's limits already doom it.
  reserved numeric(20, 0) not null,
  recipient text,
  url text,
  idempotency_key text,
  request_digest bytea,
  status text not null default 'queued',
  -- Bounds the first claim: a spend that no worker took by then is refused unsent.
  not_after timestamptz not null,
  spend_seq bigint,
  -- Number of the newest attempt, and how often this attempt's bytes went out after the first send.
  attempt integer not null default 0,
  broadcasts integer not null default 0,
  -- Who sends the bytes: we, or an x402 facilitator.
  broadcaster text not null default 'worker',
  -- When a facilitator was first handed the bytes.
  released_at timestamptz,
  -- Faults before an attempt was stored; bounded, so that one poisoned row cannot block its lane.
  faults integer not null default 0,
  tx_signature text,
  landed_slot bigint,
  landed_error boolean,
  -- Of a refusal: the stable code, the program's words, and the time at which a retry could fit.
  code text,
  detail text,
  created_at timestamptz not null default now(),
  claimed_at timestamptz,
  settled_at timestamptz,
  finalized_at timestamptz,
  constraint spend_pkey primary key (spend_id),
  constraint spend_session foreign key (session_id) references session,
  constraint spend_wallet foreign key (wallet_id) references wallet,
  constraint spend_accepted_no_unique unique (accepted_no),
  constraint spend_seq_unique unique (session_id, spend_seq),
  constraint spend_kind check (
    kind in ('transfer', 'sign_payment', 'pay_service', 'yield_deposit', 'yield_withdraw')),
  constraint spend_amount_range check (amount between 1 and 18446744073709551615),
  constraint spend_reserved_range check (reserved between 0 and amount),
  constraint spend_status check (
    status in ('queued', 'in_flight', 'confirmed', 'finalized', 'reverted', 'rejected')),
  constraint spend_broadcaster check (broadcaster in ('worker', 'facilitator')),
  constraint spend_claimed_has_seq check (attempt = 0 or spend_seq is not null),
  constraint spend_in_flight_has_attempt check (status <> 'in_flight' or attempt >= 1),
  constraint spend_landed_has_signature check (
    status not in ('confirmed', 'finalized', 'reverted') or tx_signature is not null),
  constraint spend_settled check ((settled_at is not null) = (status not in ('queued', 'in_flight'))),
  constraint spend_refusal_has_code check (status not in ('reverted', 'rejected') or code is not null),
  constraint spend_key_has_digest check ((idempotency_key is null) = (request_digest is null))
);
create unique index spend_idempotency on spend (session_id, idempotency_key)
  where idempotency_key is not null;
create index spend_queued on spend (session_id, accepted_no) where status = 'queued';
create index spend_pending_wallet on spend (wallet_id) where status in ('queued', 'in_flight');
create index spend_landed_wallet on spend (wallet_id, landed_slot)
  where status in ('confirmed', 'finalized', 'reverted');
create index spend_unfinalized on spend (settled_at) where status in ('confirmed', 'reverted');

-- One row per signed transaction, stored before its first send and never deleted.
create table attempt (
  spend_id uuid not null,
  attempt integer not null,
  wallet_id uuid not null,
  session_id uuid not null,
  signature text not null,
  wire bytea not null,
  blockhash text not null,
  last_valid_block_height bigint not null,
  -- Slot at which the blockhash was read: nothing of this attempt can have landed before it.
  blockhash_slot bigint not null,
  -- The session's index as it was signed.
  session_index numeric(20, 0) not null,
  fee_payer text not null,
  stored_at timestamptz not null default now(),
  -- 'watching' until the chain itself has told what became of these bytes.
  state text not null default 'watching',
  -- Lease of the confirm-worker that looks at it, and when to look next.
  watcher text,
  watch_until timestamptz not null default '-infinity',
  look_at timestamptz not null default now() + interval '300 milliseconds',
  last_broadcast_at timestamptz,
  settled_slot bigint,
  constraint attempt_pkey primary key (spend_id, attempt),
  constraint attempt_spend foreign key (spend_id) references spend,
  constraint attempt_signature_unique unique (signature),
  constraint attempt_number_positive check (attempt >= 1),
  constraint attempt_wire_size check (octet_length(wire) between 1 and 1232),
  constraint attempt_state check (state in ('watching', 'landed', 'landed_error', 'refused', 'expired'))
);
create index attempt_watching on attempt (look_at) where state = 'watching';
