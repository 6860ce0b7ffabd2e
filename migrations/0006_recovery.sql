-- A database that was failed over or restored may have forgotten attempts that can still land.
-- While `shut_at_height` is set nothing is accepted and no lane claims.
alter table deployment
  -- Which database this was when it was last known to be whole; see database_identity().
  add column identity text,
  -- Finalized block height at which the trouble was noticed.
  add column shut_at_height bigint,
  add column shut_reason text,
  add constraint deployment_shut_has_reason
    check ((shut_at_height is null) = (shut_reason is null));

-- Changes with a failover (a new timeline) and with a cluster that was made anew.
create function database_identity() returns text language sql stable as $$
  select system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  from pg_control_system()
$$;

-- True when this database may accept and claim. Before the first start there is no deployment.
create function is_open() returns boolean language sql stable as $$
  select not exists (
    select 1 from deployment
    where shut_at_height is not null or identity <> database_identity())
$$;
