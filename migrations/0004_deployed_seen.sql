-- What the vault account last said about its yield principal: the position is answered with it
-- while the chain cannot be read.
alter table wallet add column deployed_seen numeric(20, 0) not null default 0;
