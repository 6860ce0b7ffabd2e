-- What a service answered is kept for replays, and after some time only its hash: the bodies are
-- large. What was paid for and not delivered keeps everything that a claim for a refund needs.
alter table delivery
  add column upstream_body_sha256 bytea,
  drop constraint delivery_upstream_whole,
  add constraint delivery_upstream_whole check (
    (upstream_status is null) = (upstream_headers is null)
    and (upstream_status is null) = (upstream_body is null and upstream_body_sha256 is null)),
  add constraint delivery_forgotten check (
    upstream_body_sha256 is null
    or (upstream_body is null and state = 'delivered' and octet_length(upstream_body_sha256) = 32));
create index delivery_kept_answer on delivery (delivered_at)
  where state = 'delivered' and upstream_body is not null;
