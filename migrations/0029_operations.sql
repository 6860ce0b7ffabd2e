-- While an operator drains the service, nothing new is accepted. Lanes and looks go on, so that what
-- was accepted is settled.
alter table deployment add column drained_at timestamptz;

-- True when this database may accept spends.
create function is_accepting() returns boolean language sql stable as $$
  select is_open() and not exists (select 1 from deployment where drained_at is not null)
$$;

-- The body stays as it is, but for its question.
do $$
declare
  known constant text := pg_get_functiondef('accept_spends(uuid, jsonb)'::regprocedure);
  changed constant text := replace(
    known, 'accepts_spends := is_open();', 'accepts_spends := is_accepting();');
begin
  if changed = known then
    raise exception 'accept_spends does not ask is_open()';
  end if;
  execute changed;
end
$$;

-- The pool of the tx-workers as they last read its balances, for operators, who have no key of it.
create table fee_payer (
  address text not null,
  lamports numeric(20, 0) not null,
  floor_lamports numeric(20, 0) not null,
  seen_at timestamptz not null default now(),
  constraint fee_payer_pkey primary key (address),
  constraint fee_payer_lamports check (lamports >= 0 and floor_lamports >= 0)
);
