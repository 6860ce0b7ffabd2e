import { notOurs, section } from './row-class.ts';

/** What the interface marks "not shown", as it was decided (docs/api.md). */
export const openPointRows = section({
  'open.bits': 'bit 0 transfers, bit 1 deposits, bit 2 withdraws; any other bit is 400',
  'open.expiry-unit':
    'expiry is in unix seconds, in the future; milliseconds are refused with a text that says so',
  'open.wallet.fields': 'the fields of GET /v1/wallet',
  'open.wallet.status': 'a wallet is pending, then active when the chain has its vault',
  'open.wallet.not-found': 'GET /v1/wallet before creation: 404 `wallet not found`',
  'open.wallet.wallet_id': 'POST and GET /v1/wallet give wallet_id, which POST /v1/session takes',
  'open.wallet.again':
    'POST /v1/wallet again: the same wallet while pending, 409 `wallet already exists` once active',
  'open.wallet.not-active': 'POST /v1/session without a vault: 409 `wallet not active`',
  'open.wallet.fraction': 'max_deployed_fraction_bp is optional, 0 to 10000, default 0',
  'open.session.detail':
    'GET /v1/session/:id: every field but the key, with status, daily_remaining, daily_resets_at, key_prefix',
  'open.session.list': 'GET /v1/session lists the same',
  'open.session.statuses': 'a session is awaiting_owner_signature, live, expired or revoked',
  'open.session.daily': 'daily_* are computed at the time of the answer',
  'open.session.blast-radius':
    'GET /v1/session/:id/blast-radius and /v1/wallet/blast-radius: the amount that stolen keys could move',
  'open.session.revoke':
    'POST /v1/session/:id/revoke returns { txBase64 }; it takes effect on chain',
  'open.session.recipients':
    'PUT /v1/session/:id/recipients returns { txBase64 }; the new list counts once it is signed',
  'open.session.limits':
    'PATCH /v1/session/:id returns { txBase64 }; the new limits count once it is signed',
  'open.session.amounts': 'max_per_tx and daily_cap are 1 to 2^64 − 1, in no order',
  'open.session.no-recipients': 'a session may have no recipients: every transfer is then denied',
  'open.owner.fraction': 'POST /v1/wallet/max-deployed-fraction returns { txBase64 }',
  'open.owner.pause': 'POST /v1/wallet/pause returns { txBase64 }; a paused vault spends nothing',
  'open.owner.withdraw':
    'POST /v1/wallet/withdraw returns { txBase64 } that brings USDC to the owner',
  'open.owner.yield-deposit': 'POST /v1/wallet/yield/deposit returns { txBase64 }',
  'open.owner.yield-withdraw': 'POST /v1/wallet/yield/withdraw returns { txBase64 }',
  'open.policy.get': 'GET /v1/wallet/policy returns { url_allowlist, time_window }',
  'open.policy.put': 'PUT /v1/wallet/policy replaces both, each time as a new version',
  'open.policy.max_per_call':
    'max_per_call is in base units; above it 403 URL_NOT_ALLOWED with max_per_call',
  'open.policy.timezone': 'timezone is an IANA name',
  'open.policy.across-midnight':
    'start_min after end_min crosses midnight; the weekday is that of its start',
  'open.policy.nothing-set': 'no window is always open; no URL entry denies every URL',
  'open.policy.matching':
    '* is one whole segment, a final ** is any rest, the query does not count',
  'open.policy.hostile-spellings':
    'userinfo, backslashes, encoded slashes and dot segments are denied',
  'open.siws.message': 'the text to sign depends on constants, key and nonce only',
  'open.siws.nonce-answer': 'the nonce comes with message and expires_at',
  'open.siws.nonce-life': 'a nonce is 32 hex characters, lives 5 minutes, burns on first use',
  'open.siws.answer': 'POST /v1/auth/siws returns { pubkey, expires_at }',
  'open.siws.logout': 'POST /v1/auth/logout ends the cookie on the server',
  'open.siws.ledger': 'a Ledger’s off-chain envelope of the text is accepted',
  'open.cookie': 'the cookie is HttpOnly, SameSite, Secure outside localhost, 12 hours',
  'open.origin': 'a state-changing call from a foreign page is 403 `origin not allowed`',
  'open.cors': 'CORS: owner routes for the dashboard’s origin, agent routes for no page',
  'open.invalid-jwt': 'an agent’s key or a bad token on owner routes: 401 `invalid jwt`',
  'open.missing-cookie': 'no cookie at all: 401 `missing session cookie`',
  'open.transactions': 'txBase64: legacy message, the owner pays, signatures zeroed',
  'open.rotate-key': 'rotate-key takes no body and returns { session_id, api_key }',
  'open.audit.page': 'audit pages: newest first, limit 1 to 200, default 50, opaque cursor',
  'open.audit.session': 'the audit log filters by session_id',
  'open.audit.none': '400, 401, 404 and 429 write no audit row',
  'open.audit.owner-actions': 'the owner’s own program events have rows, with session_id null',
  'open.audit.reverted': 'a deny row has tx_signature null',
  'open.deposit-address': 'GET /v1/fund/deposit-address returns { address, mint, cluster }',
  'open.yield.deposit-answer': 'POST /v1/yield/deposit returns { tx_signature, status, deployed }',
  'open.pending': 'outcome still open: 202 pending with spend_id and a Location',
  'open.spend.read': 'GET /v1/spend/:id returns the current state of a spend',
  'open.spend.rejected': 'a refused spend is rejected with error, code and detail',
  'open.spend.others': 'another session’s spend is 404 `spend not found`',
  'open.wait': 'Prefer: wait=N is 0 to 60 seconds, else 400',
  'open.service.path': 'path of POST /v1/spend/service is optional, / by default',
  'open.service.method': 'the entry’s method; POST with a body, else GET',
  'open.service.unpaid': 'a service that requires no payment is passed through, without a row',
  'open.service.mismatch':
    'a challenge that differs from the entry: 502 CHALLENGE_MISMATCH, nothing paid',
  'open.service.not-delivered':
    'paid and no usable answer: 502 `service did not deliver` with tx_signature',
  'open.service.x402':
    'an entry with proof x402 is paid the standard way, sent by the service’s facilitator',
  'open.catalog.fields': 'the fields of a catalog entry',
  'open.catalog.list': 'GET /v1/services lists the enabled entries',
  'open.sign-payment.url': 'a url that is not https is 400, one that does not match is 403',
  'open.sign-payment.proof': 'payment_proof_header is the signature, once confirmed',
  'open.partial-liquidity': 'PARTIAL_LIQUIDITY: nothing sent, a deny row',
  'open.withdraw-exceeds': 'a withdrawal above deployed_amount: 402 WithdrawExceedsDeployed',
  'open.yield-disabled': 'YIELD_DISABLED writes no audit row',
  'open.accrued': 'accrued is computed where yield is on and the reserve can be read',
  'open.resets_at': 'DailyCapExceeded has resets_at, null when the amount is above the cap',
  'open.opens_at': 'OUTSIDE_TIME_WINDOW has opens_at',
  'open.refusal-fields':
    'every refusal has code, layer, retryable, and a remedy where there is one',
  'open.not-a-challenge': 'a 402 of the api is no x402 challenge',
  'open.recipients':
    'recipients: no vault, token account, mint or duplicate; off-curve owners may be',
  'open.sign-in-curve': 'a sign-in pubkey must be on the curve',
  'open.404': 'unknown routes: 404 `route not found`',
  'open.413': 'a body above 64 KiB: 413 `body too large`',
  'open.415': 'another content type: 415 `content-type must be application/json`',
  'open.malformed': 'malformed JSON: 400 that begins with `body`',
  'open.429.key': 'per key: 429 `rate limited` with Retry-After',
  'open.429.address': 'per address on sign-in: 429 `rate limited`',
  'open.idempotency.replay': 'same Idempotency-Key, same request: the same spend, moved once',
  'open.idempotency.reused': 'same key, another request: 409 `idempotency key reused`',
  'open.idempotency.form': 'a key is 1 to 255 visible ASCII characters, else 400',
  'open.idempotency.denied': 'a denied request leaves its key unused',
  'open.idempotency.rotation': 'a key’s scope is the session: it survives rotate-key',
  'open.agent.limits': 'GET /v1/agent/limits, where the extensions are on',
  'open.agent.quote': 'POST /v1/spend/quote evaluates both layers and moves nothing',
  'open.agent.off': 'with the extensions off these are 404',
  'open.openapi': '/openapi.json describes the interface',
  'open.card-and-fiat': notOurs('decided: not provided', 'card or fiat funding'),
  'open.deprecation': notOurs(
    'nothing is deprecated yet; decided: Deprecation and Sunset headers, one minor version ahead',
    'deprecation policy of the HTTP API',
  ),
});
