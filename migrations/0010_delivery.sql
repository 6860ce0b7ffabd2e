-- What was bought with a payment to a service: the agent's request, written with the spend, and what
-- became of it. With the spend it holds all that a claim for a refund needs.
create table delivery (
  spend_id uuid not null,
  wallet_id uuid not null,
  session_id uuid not null,
  -- Copied from the catalogue, whose entry may change or go.
  slug text not null,
  proof text not null,
  method text not null,
  url text not null,
  headers jsonb not null,
  body bytea,
  -- The offer that was accepted and the resource it was for, as JSON text exactly as they came.
  requirement text not null,
  resource text,
  state text not null default 'waiting',
  -- How often the request went out with its proof, and what came of each time.
  tries integer not null default 0,
  log jsonb not null default '[]',
  first_try_at timestamptz,
  -- When to try next; null: not again.
  try_at timestamptz default now(),
  -- Lease of the one who tries, on the database's clock.
  lease_until timestamptz not null default '-infinity',
  -- Why the service wants no payment of ours, in its words.
  refused_why text,
  upstream_status integer,
  upstream_headers jsonb,
  upstream_body bytea,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  constraint delivery_pkey primary key (spend_id),
  constraint delivery_spend foreign key (spend_id) references spend,
  constraint delivery_proof check (proof in ('x-payment-proof', 'x402')),
  constraint delivery_state check (
    state in ('waiting', 'delivering', 'delivered', 'paid_not_delivered')),
  constraint delivery_body_size check (octet_length(body) <= 262144),
  constraint delivery_upstream_size check (octet_length(upstream_body) <= 5242880),
  constraint delivery_upstream_status check (upstream_status between 200 and 599),
  constraint delivery_upstream_whole check (
    (upstream_status is null) = (upstream_headers is null)
    and (upstream_status is null) = (upstream_body is null)),
  constraint delivery_delivered check (
    (state = 'delivered') = (delivered_at is not null)
    and (state <> 'delivered' or (upstream_status is not null and try_at is null))),
  constraint delivery_tried check ((tries = 0) = (first_try_at is null))
);
create index delivery_due on delivery (try_at) where try_at is not null;
create index delivery_open on delivery (state) where state in ('waiting', 'delivering');
