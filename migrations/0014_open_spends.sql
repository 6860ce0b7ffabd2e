-- A claim is a heap-only update: no column that it sets is in an index of `spend` or in the condition
-- of one. An open spend is one without `settled_at`, whatever its status.
drop index spend_queued;
drop index spend_pending_wallet;
create index spend_open_session on spend (session_id, accepted_no) where settled_at is null;
create index spend_open_wallet on spend (wallet_id) where settled_at is null;

-- What has landed has a slot.
alter table spend add constraint spend_landed_has_slot check (
  status not in ('confirmed', 'finalized', 'reverted') or landed_slot is not null);
drop index spend_landed_wallet;
create index spend_landed_wallet on spend (wallet_id, landed_slot) where landed_slot is not null;
drop index spend_unfinalized;
create index spend_unfinalized on spend (greatest(settled_at, final_look_at))
  where landed_slot is not null and finalized_at is null;
drop index spend_unjoined;
create index spend_unjoined on spend (landed_slot)
  where landed_slot is not null and landed_error is not true and event_joined_at is null;

-- Two spends of a session never have one number: their first attempts have not.
alter table attempt add column spend_seq bigint;
update attempt set spend_seq = spend.spend_seq from spend where spend.spend_id = attempt.spend_id;
alter table attempt alter column spend_seq set not null;
create unique index attempt_seq_unique on attempt (session_id, spend_seq) where attempt = 1;
alter table spend drop constraint spend_seq_unique;

-- The identity is its own proof, and no query looks a spend up by it.
alter table spend drop constraint spend_accepted_no_unique;

-- Room for the next version of a row on its own page.
alter table spend set (fillfactor = 75);
alter table wallet set (fillfactor = 75);
alter table session set (fillfactor = 75);
alter table lane set (fillfactor = 75);
