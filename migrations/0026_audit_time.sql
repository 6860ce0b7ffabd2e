-- Pages of a part of the log are read in the order of its times; rows of one moment in that of the
-- log.
drop index audit_time;
create index audit_time on audit (wallet_id, created_at, seq);
