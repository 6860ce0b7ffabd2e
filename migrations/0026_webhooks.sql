-- The key to which the api seals the secrets of webhooks. Only the confirm-worker has the master key
-- that opens its private half.
create table webhook_key (
  only_row boolean not null default true,
  public_key bytea not null,
  sealed_private_key bytea not null,
  created_at timestamptz not null default now(),
  constraint webhook_key_pkey primary key (only_row),
  constraint webhook_key_is_one_row check (only_row)
);

-- A URL of an owner that gets signed events.
create table webhook_endpoint (
  endpoint_id uuid not null,
  wallet_id uuid not null,
  -- One of the wallet's places: the bound on the webhooks of a wallet.
  place integer not null,
  url text not null,
  events text[] not null,
  -- Threshold of wallet.low_balance, in base units.
  low_balance_below numeric(20, 0),
  enabled boolean not null default true,
  disabled_why text,
  -- The first failed try since the last delivery.
  failing_since timestamptz,
  -- The row of the wallet's audit log up to which there are deliveries: the log is the outbox.
  audit_seq bigint not null,
  -- When the balance fell below the threshold; null while it is not known to be low.
  low_since timestamptz,
  test_at timestamptz,
  idempotency_key text,
  request_digest bytea,
  created_at timestamptz not null default now(),
  constraint webhook_endpoint_pkey primary key (endpoint_id),
  constraint webhook_endpoint_wallet foreign key (wallet_id) references wallet,
  constraint webhook_endpoint_place check (place between 1 and 5),
  constraint webhook_endpoint_place_unique unique (wallet_id, place),
  constraint webhook_endpoint_url_size check (char_length(url) <= 2048),
  constraint webhook_endpoint_events check (
    cardinality(events) >= 1 and events <@ array['spend.settled', 'spend.refused',
      'spend.corrected', 'session.daily_cap_reached', 'session.expiring', 'wallet.low_balance']),
  constraint webhook_endpoint_threshold check (
    ('wallet.low_balance' = any (events)) <= (low_balance_below is not null)),
  constraint webhook_endpoint_disabled check (enabled = (disabled_why is null)),
  constraint webhook_endpoint_disabled_why check (disabled_why in ('owner', 'gone', 'failing')),
  constraint webhook_endpoint_idempotency_pair
    check ((idempotency_key is null) = (request_digest is null)),
  constraint webhook_endpoint_digest_length check (octet_length(request_digest) = 32)
);
create unique index webhook_endpoint_idempotency on webhook_endpoint (wallet_id, idempotency_key)
  where idempotency_key is not null;

-- The secrets that sign an endpoint's deliveries: one without an end, and for a day the one before.
create table webhook_secret (
  secret_id uuid not null,
  endpoint_id uuid not null,
  sealed bytea not null,
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  constraint webhook_secret_pkey primary key (secret_id),
  constraint webhook_secret_endpoint foreign key (endpoint_id) references webhook_endpoint
    on delete cascade
);
create unique index webhook_secret_one_current on webhook_secret (endpoint_id)
  where ends_at is null;
create index webhook_secret_endpoint_id on webhook_secret (endpoint_id);

-- One event for one endpoint: what is sent, and what came of it.
create table webhook_delivery (
  delivery_id uuid not null default gen_random_uuid(),
  delivery_no bigint not null generated always as identity,
  endpoint_id uuid not null,
  wallet_id uuid not null,
  -- The header webhook-id: the same in every try.
  event_id text not null,
  type text not null,
  -- The session that the event is about, if it is about one.
  session_id uuid,
  -- The request's body, word for word.
  body text not null,
  state text not null default 'pending',
  tries integer not null default 0,
  -- When to try next; null: not again.
  try_at timestamptz default now(),
  -- Lease of the worker that tries, on the database's clock.
  lease_until timestamptz not null default '-infinity',
  last_status integer,
  last_fault text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint webhook_delivery_pkey primary key (delivery_id),
  constraint webhook_delivery_endpoint foreign key (endpoint_id) references webhook_endpoint
    on delete cascade,
  constraint webhook_delivery_once unique (endpoint_id, event_id),
  constraint webhook_delivery_state check (state in ('pending', 'delivered', 'failed')),
  constraint webhook_delivery_ended check (
    (state = 'pending') = (ended_at is null) and (state = 'pending') = (try_at is not null)),
  constraint webhook_delivery_body_size check (octet_length(body) <= 65536)
);
create index webhook_delivery_page on webhook_delivery (endpoint_id, delivery_no);
create index webhook_delivery_due on webhook_delivery (endpoint_id, try_at)
  where state = 'pending';
create index webhook_delivery_created_at on webhook_delivery (created_at);
