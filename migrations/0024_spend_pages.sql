-- Lists of spends go from the newest backwards, and may begin at a time. No transition changes a
-- column of these indexes.
create index spend_of_session on spend (session_id, created_at, accepted_no);
create index spend_of_wallet on spend (wallet_id, created_at, accepted_no);

-- The log may begin at a time as well. The index behind audit_wallet_seq has its pages already.
create index audit_time on audit (wallet_id, created_at);
drop index audit_page;
