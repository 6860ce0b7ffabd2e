-- Services that agents may pay by slug. Empty on a fresh deployment; the operator adds and enables.
create table service (
  slug text not null,
  name text not null,
  base_url text not null,
  enabled boolean not null default false,
  -- Owner of the token account that is paid; a challenge that names another is refused.
  pay_to text not null,
  -- Most that one call may cost, base units.
  max_price numeric(20, 0) not null,
  -- Null: POST when the agent sends a body, else GET.
  method text,
  proof text not null,
  created_at timestamptz not null default now(),
  constraint service_pkey primary key (slug),
  constraint service_slug check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  constraint service_name check (char_length(name) between 1 and 100),
  constraint service_base_url check (
    char_length(base_url) <= 2048 and base_url ~ '^https?://[^/?#@*[:space:]]+(/[^?#*[:space:]]*)?$'),
  constraint service_pay_to check (pay_to ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'),
  constraint service_max_price_range check (max_price between 1 and 18446744073709551615),
  constraint service_method check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  constraint service_proof check (proof in ('x-payment-proof', 'x402'))
);
