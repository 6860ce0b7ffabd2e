-- The data keys that seal session keys, each encrypted by a wrapping key outside the database.
-- Session keys of version 1 are sealed by KEYSTORE_KEY itself.
create table data_key (
  version integer not null,
  wrapped bytea not null,
  -- Which wrapping key encrypted it; a name, not a secret.
  wrapped_by text not null,
  created_at timestamptz not null default now(),
  constraint data_key_pkey primary key (version),
  constraint data_key_version check (version >= 2)
);
