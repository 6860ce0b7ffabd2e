-- What a session has cost the fee payers on a day of UTC.
alter table session
  add column fee_day date not null default '1970-01-01',
  add column fee_lamports bigint not null default 0,
  add constraint session_fees_not_negative check (fee_lamports >= 0);
create index spend_reverted on spend (session_id, settled_at) where landed_error;
