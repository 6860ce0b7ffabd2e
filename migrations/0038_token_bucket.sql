-- The rate limits' tokens that all copies of the api share. Not logged: after a crash every bucket
-- is full, and nothing of it goes to a standby or into a backup.
create unlogged table token_bucket (
  -- A digest of the limit's name and of what it counts by, such as a session or an address.
  key bytea not null,
  tokens double precision not null,
  -- Taken by the last request, which reads it in the same statement.
  granted double precision not null,
  filled_at timestamptz not null,
  -- From then on the bucket is full, as one that has no row.
  full_at timestamptz not null,
  constraint token_bucket_pkey primary key (key),
  constraint token_bucket_not_below_zero check (tokens >= 0)
) with (fillfactor = 50);

-- The copies of the api that run: each takes its part of every limit.
create unlogged table api_copy (
  copy_id uuid not null,
  seen_at timestamptz not null,
  constraint api_copy_pkey primary key (copy_id)
);
