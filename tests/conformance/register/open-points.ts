import { notOurs, type Section, tested } from './row-class.ts';

/** What the interface marks "not shown", as it was decided (docs/api.md). */
export const openPointRows = {
  'open.bits': tested('bit 0 transfers, bit 1 deposits, bit 2 withdraws; any other bit is 400'),
  'open.expiry-unit': tested(
    'expiry is in unix seconds, in the future; milliseconds are refused with a text that says so',
  ),
  'open.wallet.fields': tested('the fields of GET /v1/wallet'),
  'open.wallet.status': tested('a wallet is pending, then active when the chain has its vault'),
  'open.wallet.not-found': tested('GET /v1/wallet before creation: 404 `wallet not found`'),
  'open.wallet.wallet_id': tested(
    'POST and GET /v1/wallet give wallet_id, which POST /v1/session takes',
  ),
  'open.wallet.again': tested(
    'POST /v1/wallet again: the same wallet while pending, 409 `wallet already exists` once active',
  ),
  'open.wallet.not-active': tested('POST /v1/session without a vault: 409 `wallet not active`'),
  'open.wallet.fraction': tested('max_deployed_fraction_bp is optional, 0 to 10000, default 0'),
  'open.session.detail': tested(
    'GET /v1/session/:id: every field but the key, with status, daily_remaining, daily_resets_at, key_prefix',
  ),
  'open.session.list': tested('GET /v1/session lists the same'),
  'open.session.statuses': tested(
    'a session reads awaiting_owner_signature, live, expired or revoked',
  ),
  'open.session.daily': tested('daily_* are computed at the time of the answer'),
  'open.session.blast-radius': tested(
    'GET /v1/session/:id/blast-radius and /v1/wallet/blast-radius: what stolen keys could move',
  ),
  'open.session.revoke': tested(
    'POST /v1/session/:id/revoke answers { txBase64 }; the chain decides, whoever sent it',
  ),
  'open.session.recipients': tested(
    'PUT /v1/session/:id/recipients answers { txBase64 }; the new list counts once it is signed',
  ),
  'open.session.limits': tested(
    'PATCH /v1/session/:id answers { txBase64 }; the new limits count once it is signed',
  ),
  'open.session.amounts': tested('max_per_tx and daily_cap are 1 to 2^64 − 1, in no order'),
  'open.session.no-recipients': tested(
    'a session may have no recipients: every transfer is then denied',
  ),
  'open.owner.fraction': tested('POST /v1/wallet/max-deployed-fraction answers { txBase64 }'),
  'open.owner.pause': tested(
    'POST /v1/wallet/pause answers { txBase64 }; a paused vault spends nothing',
  ),
  'open.owner.withdraw': tested(
    'POST /v1/wallet/withdraw answers { txBase64 } that brings USDC to the owner',
  ),
  'open.owner.yield-deposit': tested('POST /v1/wallet/yield/deposit answers { txBase64 }'),
  'open.owner.yield-withdraw': tested('POST /v1/wallet/yield/withdraw answers { txBase64 }'),
  'open.policy.get': tested('GET /v1/wallet/policy answers { url_allowlist, time_window }'),
  'open.policy.put': tested('PUT /v1/wallet/policy replaces both, each time as a new version'),
  'open.policy.max_per_call': tested(
    'max_per_call is in base units; above it 403 URL_NOT_ALLOWED with max_per_call',
  ),
  'open.policy.timezone': tested('timezone is an IANA name'),
  'open.policy.across-midnight': tested(
    'start_min after end_min crosses midnight; the weekday is that of its start',
  ),
  'open.policy.nothing-set': tested('no window is always open; no URL entry denies every URL'),
  'open.policy.matching': tested(
    '* is one whole segment, a final ** is any rest, the query does not count',
  ),
  'open.policy.hostile-spellings': tested(
    'userinfo, backslashes, encoded slashes and dot segments are denied',
  ),
  'open.siws.message': tested('the text to sign depends on constants, key and nonce only'),
  'open.siws.nonce-answer': tested('the nonce comes with message and expires_at'),
  'open.siws.nonce-life': tested(
    'a nonce is 32 hex characters, lives 5 minutes, burns on first use',
  ),
  'open.siws.answer': tested('POST /v1/auth/siws answers { pubkey, expires_at }'),
  'open.siws.logout': tested('POST /v1/auth/logout ends the cookie on the server'),
  'open.siws.ledger': tested('a Ledger’s off-chain envelope of the text is taken too'),
  'open.cookie': tested('the cookie is HttpOnly, SameSite, Secure outside localhost, 12 hours'),
  'open.origin': tested('a state-changing call from a foreign page is 403 `origin not allowed`'),
  'open.cors': tested('CORS: owner routes for the dashboard’s origin, agent routes for nobody'),
  'open.invalid-jwt': tested('an agent’s key or a bad token on owner routes: 401 `invalid jwt`'),
  'open.missing-cookie': tested('no cookie at all: 401 `missing session cookie`'),
  'open.transactions': tested('txBase64: legacy message, the owner pays, signatures zeroed'),
  'open.rotate-key': tested('rotate-key takes no body and answers { session_id, api_key }'),
  'open.audit.page': tested('audit pages: newest first, limit 1 to 200, default 50, opaque cursor'),
  'open.audit.session': tested('the audit log filters by session_id'),
  'open.audit.none': tested('400, 401, 404 and 429 write no audit row'),
  'open.audit.owner-actions': tested(
    'the owner’s own program events have rows, with session_id null',
  ),
  'open.audit.reverted': tested('a deny row has tx_signature null'),
  'open.deposit-address': tested('GET /v1/fund/deposit-address answers { address, mint, cluster }'),
  'open.yield.deposit-answer': tested(
    'POST /v1/yield/deposit answers { tx_signature, status, deployed }',
  ),
  'open.pending': tested('not known yet: 202 pending with spend_id and a Location to follow'),
  'open.spend.read': tested('GET /v1/spend/:id tells what became of a spend'),
  'open.spend.rejected': tested('a refused spend reads rejected with error, code and detail'),
  'open.spend.others': tested('another session’s spend is 404 `spend not found`'),
  'open.wait': tested('Prefer: wait=N is 0 to 60 seconds, else 400'),
  'open.service.path': tested('path of POST /v1/spend/service is optional, / by default'),
  'open.service.method': tested('the entry’s method; POST with a body, else GET'),
  'open.service.unpaid': tested(
    'a service that does not ask for money is passed through unpaid, without a row',
  ),
  'open.service.mismatch': tested(
    'a challenge that disagrees with the entry: 502, code CHALLENGE_MISMATCH, nothing paid',
  ),
  'open.service.not-delivered': tested(
    'paid and no usable answer: 502 `service did not deliver` with tx_signature',
  ),
  'open.service.x402': tested(
    'an entry with proof x402 is paid the standard way, sent by the service’s facilitator',
  ),
  'open.catalog.fields': tested('the fields of a catalogue entry'),
  'open.catalog.list': tested('GET /v1/services lists the enabled entries'),
  'open.sign-payment.url': tested('a url that is not https is 400, one that does not match is 403'),
  'open.sign-payment.proof': tested('payment_proof_header is the signature, once confirmed'),
  'open.partial-liquidity': tested('PARTIAL_LIQUIDITY: nothing sent, a deny row'),
  'open.withdraw-exceeds': tested(
    'a withdrawal above deployed_amount: 402 WithdrawExceedsDeployed',
  ),
  'open.yield-disabled': tested('YIELD_DISABLED writes no audit row'),
  'open.accrued': tested('accrued is computed where yield is on and the reserve can be read'),
  'open.resets_at': tested(
    'DailyCapExceeded tells resets_at, null when the amount is above the cap',
  ),
  'open.opens_at': tested('OUTSIDE_TIME_WINDOW tells opens_at'),
  'open.refusal-fields': tested(
    'every refusal has code, layer, retryable, and a remedy where there is one',
  ),
  'open.not-a-challenge': tested('our 402 answers do not look like an x402 challenge'),
  'open.recipients': tested(
    'vault, token accounts, mints and duplicates are refused as recipients; off-curve owners are not',
  ),
  'open.sign-in-curve': tested('a sign-in pubkey must be on the curve'),
  'open.404': tested('unknown routes: 404 `route not found`'),
  'open.413': tested('a body above 64 KiB: 413 `body too large`'),
  'open.415': tested('another content type: 415 `content-type must be application/json`'),
  'open.malformed': tested('malformed JSON: 400 that begins with `body`'),
  'open.429.key': tested('per key: 429 `rate limited` with Retry-After'),
  'open.429.address': tested('per address on sign-in: 429 `rate limited`'),
  'open.idempotency.replay': tested(
    'same Idempotency-Key, same request: the same spend, moved once',
  ),
  'open.idempotency.reused': tested('same key, another request: 409 `idempotency key reused`'),
  'open.idempotency.form': tested('a key is 1 to 255 visible ASCII characters, else 400'),
  'open.idempotency.denied': tested('a denial binds no key'),
  'open.idempotency.rotation': tested('a key’s scope is the session: it survives rotate-key'),
  'open.agent.limits': tested('GET /v1/agent/limits, where the extensions are on'),
  'open.agent.quote': tested('POST /v1/spend/quote evaluates both layers and moves nothing'),
  'open.agent.off': tested('with the extensions off these are 404'),
  'open.openapi': tested('/openapi.json describes the interface'),
  'open.card-and-fiat': notOurs('decided: not provided', 'card or fiat funding'),
  'open.deprecation': notOurs(
    'nothing is deprecated yet; decided: Deprecation and Sunset headers, one minor version ahead',
    'deprecation policy of the HTTP API',
  ),
} as const satisfies Section;
