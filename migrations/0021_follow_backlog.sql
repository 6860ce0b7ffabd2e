-- Where the walk over a backlog of the program's transactions has paused on its way down.
create table program_walk_place (
  place_no bigint not null generated always as identity,
  before_signature text not null,
  next_signature text not null,
  -- Of `next_signature`.
  slot bigint not null,
  constraint program_walk_place_pkey primary key (before_signature)
);
create index program_walk_place_lowest on program_walk_place (slot, place_no desc);

-- Transactions behind the cursor whose events are not stored: they could not be read, or not
-- applied. They are tried again and again, and count as skipped from `skipped_at` on.
create table postponed_transaction (
  signature text not null,
  slot bigint not null,
  reason text not null,
  tries integer not null default 1,
  -- When the follower came to it: its place in the order of the events of one slot.
  listed_at timestamptz not null default now(),
  look_at timestamptz not null,
  skipped_at timestamptz,
  constraint postponed_transaction_pkey primary key (signature)
);
create index postponed_transaction_due on postponed_transaction (look_at);
