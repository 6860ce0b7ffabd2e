-- Lists of spends go from the newest backwards, and may begin at a time. No transition changes a
-- column of these indexes.
create index spend_of_session on spend (session_id, created_at, accepted_no);
create index spend_of_wallet on spend (wallet_id, created_at, accepted_no);

-- The log may begin at a time as well; rows of one moment are read in the order of the log. The index
-- behind audit_wallet_seq has the pages of the whole log already.
create index audit_time on audit (wallet_id, created_at, seq);
drop index audit_page;
