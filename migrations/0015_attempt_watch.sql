-- When to look at an attempt that is still watched, in a narrow row of its own: a look writes none
-- of the attempt's bytes. The row exists exactly as long as the attempt's state is 'watching'.
create table attempt_watch (
  spend_id uuid not null,
  attempt integer not null,
  look_at timestamptz not null default now() + interval '300 milliseconds',
  -- Lease of the confirm-worker that looks at it, on the database's clock.
  watch_until timestamptz not null default '-infinity',
  last_broadcast_at timestamptz,
  constraint attempt_watch_pkey primary key (spend_id, attempt),
  constraint attempt_watch_attempt foreign key (spend_id, attempt) references attempt
) with (fillfactor = 50);
-- A lease changes no column of an index.
create index attempt_watch_look_at on attempt_watch (look_at);

insert into attempt_watch (spend_id, attempt, look_at, last_broadcast_at)
select spend_id, attempt, look_at, last_broadcast_at from attempt where state = 'watching';

drop index attempt_watching;
alter table attempt
  drop column watcher,
  drop column watch_until,
  drop column look_at,
  drop column last_broadcast_at;
