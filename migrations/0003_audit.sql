-- Decisions, corrections and the owner's own program events: one hash chain per wallet.
create table audit (
  audit_id uuid not null default gen_random_uuid(),
  wallet_id uuid not null,
  -- Position in the wallet's chain, from 1 without gaps.
  seq bigint not null,
  -- Order over all wallets, for paging.
  audit_no bigint not null generated always as identity,
  session_id uuid,
  spend_id uuid,
  -- 0 is the decision; 1, 2 … are corrections after a fork. Owner events have no spend.
  correction integer not null default 0,
  action text not null,
  amount numeric(20, 0),
  recipient text,
  recipient_or_url text,
  decision text not null,
  reason text,
  detail text,
  tx_signature text,
  -- Signature of a landed transaction that the decision denies (it reverted).
  detail_signature text,
  created_at timestamptz not null,
  previous_hash bytea not null,
  hash bytea not null,
  constraint audit_pkey primary key (audit_id),
  constraint audit_wallet foreign key (wallet_id) references wallet,
  constraint audit_wallet_seq unique (wallet_id, seq),
  constraint audit_no_unique unique (audit_no),
  constraint audit_one_decision unique (spend_id, correction),
  constraint audit_decision check (decision in ('allow', 'deny')),
  constraint audit_allow_has_signature check (decision <> 'allow' or tx_signature is not null),
  constraint audit_deny_has_reason check (decision <> 'deny' or (reason is not null and tx_signature is null)),
  constraint audit_hash_length check (octet_length(hash) = 32 and octet_length(previous_hash) = 32)
);
create index audit_page on audit (wallet_id, seq desc);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit rows are never edited or deleted' using errcode = 'restrict_violation';
end
$$;
create trigger audit_is_append_only before update or delete on audit
  for each row execute function refuse_audit_change();
create trigger audit_is_not_truncated before truncate on audit
  for each statement execute function refuse_audit_change();

-- The program's own events as the follower read them from the chain.
create table program_event (
  signature text not null,
  instruction_index integer not null,
  inner_index integer not null,
  slot bigint not null,
  name text not null,
  vault text not null,
  session_pda text,
  spend_id uuid,
  data jsonb not null,
  seen_at timestamptz not null default now(),
  constraint program_event_pkey primary key (signature, instruction_index, inner_index)
);
create index program_event_vault on program_event (vault, slot);
create index program_event_spend on program_event (spend_id) where spend_id is not null;

-- How far the follower has read.
create table program_cursor (
  only_row boolean not null default true,
  slot bigint not null,
  updated_at timestamptz not null default now(),
  constraint program_cursor_pkey primary key (only_row),
  constraint program_cursor_is_one_row check (only_row)
);
