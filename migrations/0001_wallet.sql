-- One database serves one chain: the first process that starts stores which, every other compares.
create table deployment (
  only_row boolean not null default true,
  genesis_hash text not null,
  program_id text not null,
  usdc_mint text not null,
  created_at timestamptz not null default now(),
  constraint deployment_pkey primary key (only_row),
  constraint deployment_is_one_row check (only_row)
);

-- Sign-in: a nonce is burned by its first use, right or wrong.
create table sign_in_nonce (
  nonce text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_nonce_pkey primary key (nonce),
  constraint sign_in_nonce_format check (nonce ~ '^[0-9a-f]{32}$')
);
create index sign_in_nonce_expires_at on sign_in_nonce (expires_at);

-- The server's side of the owner's cookie.
create table owner_session (
  owner_session_id uuid not null default gen_random_uuid(),
  owner text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  constraint owner_session_pkey primary key (owner_session_id)
);

create table wallet (
  wallet_id uuid not null default gen_random_uuid(),
  owner text not null,
  vault_pda text not null,
  vault_usdc_ata text not null,
  max_deployed_fraction_bp integer not null default 0,
  status text not null default 'pending',
  -- Slot at which the vault was first seen on chain.
  active_slot bigint,
  -- Newest slot at which a spend of this wallet settled: balances read before it are too old.
  last_settled_slot bigint not null default 0,
  -- Head of this wallet's audit chain.
  audit_seq bigint not null default 0,
  audit_head bytea not null default '\x0000000000000000000000000000000000000000000000000000000000000000',
  created_at timestamptz not null default now(),
  constraint wallet_pkey primary key (wallet_id),
  constraint wallet_owner_unique unique (owner),
  constraint wallet_vault_unique unique (vault_pda),
  constraint wallet_status check (status in ('pending', 'active')),
  constraint wallet_fraction_range check (max_deployed_fraction_bp between 0 and 10000),
  constraint wallet_audit_head_length check (octet_length(audit_head) = 32)
);

-- Every change of the off-chain policy is a new version; old ones stay.
create table wallet_policy (
  wallet_id uuid not null,
  version integer not null,
  url_allowlist jsonb not null default '[]',
  time_window jsonb,
  created_at timestamptz not null default now(),
  constraint wallet_policy_pkey primary key (wallet_id, version),
  constraint wallet_policy_wallet foreign key (wallet_id) references wallet
);

-- Session keypairs, made by the tx-worker ahead of need. The api takes one without being able to open it.
create table session_key (
  pubkey text not null,
  sealed bytea not null,
  key_version integer not null,
  session_id uuid,
  created_at timestamptz not null default now(),
  constraint session_key_pkey primary key (pubkey),
  constraint session_key_session_unique unique (session_id)
);
create index session_key_free on session_key (created_at) where session_id is null;

create table session (
  session_id uuid not null,
  wallet_id uuid not null,
  session_pubkey text not null,
  session_pda text not null,
  -- Known once the chain has created the account.
  session_index numeric(20, 0),
  max_per_tx numeric(20, 0) not null,
  daily_cap numeric(20, 0) not null,
  expiry bigint not null,
  allowed_recipients text[] not null,
  allowed_instructions integer not null,
  -- 'expired' is not stored: it is a matter of the clock.
  status text not null default 'awaiting_owner_signature',
  live_slot bigint,
  revoked_slot bigint,
  next_seq bigint not null default 1,
  created_at timestamptz not null default now(),
  constraint session_pkey primary key (session_id),
  constraint session_wallet foreign key (wallet_id) references wallet,
  constraint session_key_of_session foreign key (session_pubkey) references session_key,
  constraint session_pubkey_unique unique (session_pubkey),
  constraint session_pda_unique unique (session_pda),
  constraint session_status check (status in ('awaiting_owner_signature', 'live', 'revoked')),
  constraint session_live_has_index check (status <> 'live' or session_index is not null),
  constraint session_caps_range check (
    max_per_tx between 1 and 18446744073709551615 and daily_cap between 1 and 18446744073709551615),
  constraint session_recipients_bound check (cardinality(allowed_recipients) <= 10),
  constraint session_instruction_bits check (allowed_instructions between 0 and 7),
  constraint session_next_seq_positive check (next_seq >= 1)
);
create index session_wallet_id on session (wallet_id, created_at);

-- Bearer keys of agents: only a keyed hash is stored; old hashes stay, so that a rotated key is told apart.
create table api_key (
  key_hash bytea not null,
  session_id uuid not null,
  wallet_id uuid not null,
  key_prefix text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint api_key_pkey primary key (key_hash),
  constraint api_key_session foreign key (session_id) references session
);
create unique index api_key_one_live on api_key (session_id) where revoked_at is null;

-- The lock of a session's lane, on the database's clock. Every claim carries the fence.
create table lane (
  session_id uuid not null,
  wallet_id uuid not null,
  fence bigint not null default 0,
  holder text,
  lease_until timestamptz not null default '-infinity',
  constraint lane_pkey primary key (session_id),
  constraint lane_session foreign key (session_id) references session
);
