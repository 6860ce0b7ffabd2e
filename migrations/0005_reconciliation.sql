-- When to look next whether a landing is final: moved only for one that keeps waiting, so that
-- such rows never hold up those behind them.
alter table spend add column final_look_at timestamptz not null default '-infinity';
drop index spend_unfinalized;
create index spend_unfinalized on spend (greatest(settled_at, final_look_at))
  where status in ('confirmed', 'reverted');

-- When the landing of this row was matched with the program's own event.
alter table spend add column event_joined_at timestamptz;
create index spend_unjoined on spend (coalesce(landed_slot, 0))
  where status in ('confirmed', 'finalized') and event_joined_at is null;

-- When to match the event with its spend; null once that is done, and for events of no spend.
alter table program_event add column reconcile_at timestamptz;
update program_event set reconcile_at = now() where spend_id is not null;
create index program_event_unreconciled on program_event (reconcile_at)
  where reconcile_at is not null;

-- What the chain and the rows say differently. A person looks at each; none is ever taken back.
create table unexplained (
  unexplained_no bigint not null generated always as identity,
  kind text not null,
  -- What it is about: the event's place on the chain, or the spend. One record for each.
  subject text not null,
  wallet_id uuid not null,
  spend_id uuid,
  signature text,
  slot bigint,
  detail text not null,
  created_at timestamptz not null default now(),
  constraint unexplained_pkey primary key (unexplained_no),
  constraint unexplained_once unique (kind, subject),
  constraint unexplained_wallet foreign key (wallet_id) references wallet,
  constraint unexplained_kind check (kind in (
    'event_without_spend', 'event_differs', 'second_landing', 'spend_without_event'))
);

create function refuse_unexplained_change() returns trigger language plpgsql as $$
begin
  raise exception 'unexplained records are never edited or deleted'
    using errcode = 'restrict_violation';
end
$$;
create trigger unexplained_is_append_only before update or delete on unexplained
  for each row execute function refuse_unexplained_change();
create trigger unexplained_is_not_truncated before truncate on unexplained
  for each statement execute function refuse_unexplained_change();
