-- A tx-worker whose master key opens none of the session keys says so here, and one whose key fits
-- takes it back. Until then no session can be signed for, and none should be made.
alter table deployment add column keystore_refused_at timestamptz;

-- A worker with a right key takes back within a second what one with a wrong key has said.
create function keystore_fits() returns boolean language sql stable as $$
  select not exists (
    select 1 from deployment where keystore_refused_at < now() - interval '5 seconds')
$$;
