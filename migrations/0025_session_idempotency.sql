-- The request that created a session, so that the same request under the same key creates no other.
-- The digest is of the request's fields. Neither holds a secret.
alter table session
  add column idempotency_key text,
  add column request_digest bytea,
  add constraint session_idempotency_pair
    check ((idempotency_key is null) = (request_digest is null)),
  add constraint session_digest_length check (octet_length(request_digest) = 32);
create unique index session_idempotency on session (wallet_id, idempotency_key)
  where idempotency_key is not null;
