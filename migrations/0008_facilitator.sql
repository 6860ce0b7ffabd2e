-- Payments that an x402 facilitator sends and pays for: one attempt, handed out and never sent by
-- us. `released_at`: when the bytes first left.
alter table spend
  add column facilitator_fee_payer text,
  -- What the memo must say; null: the spend's own id.
  add column facilitator_memo text,
  -- The signature that a service named. Nothing but the chain is believed about it.
  add column signature_hint text,
  add constraint spend_facilitator_has_fee_payer
    check ((broadcaster = 'facilitator') = (facilitator_fee_payer is not null)),
  add constraint spend_facilitator_is_of_a_service
    check (broadcaster = 'worker' or kind = 'pay_service'),
  add constraint spend_facilitator_attempts_once
    check (broadcaster = 'worker' or (attempt <= 1 and broadcasts = 0)),
  add constraint spend_facilitator_facts check (broadcaster = 'facilitator'
    or (facilitator_memo is null and signature_hint is null and released_at is null)),
  add constraint spend_facilitator_memo_size check (octet_length(facilitator_memo) <= 256),
  add constraint spend_released_has_attempt check (released_at is null or attempt = 1),
  add constraint spend_signature_hint_format
    check (signature_hint ~ '^[1-9A-HJ-NP-Za-km-z]{64,88}$');

-- A transaction's signature is its fee payer's: of a facilitator's it is unknown until the chain
-- shows it.
alter table attempt alter column signature drop not null;
