-- Tasks that one copy of a process does for all: follow the program, finality, and the like. A copy
-- leads a task while its lease lasts, on the database's clock. The lease saves work; every write of
-- a task is correct with two leaders.
create table leadership (
  task text not null,
  -- Goes up with each term of a leader.
  fence bigint not null,
  holder text,
  lease_until timestamptz not null,
  constraint leadership_pkey primary key (task),
  constraint leadership_is_held check (holder is not null or lease_until = '-infinity')
);
