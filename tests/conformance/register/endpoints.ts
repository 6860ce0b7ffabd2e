import { type Section, tested } from './row-class.ts';

/** "Endpoints" and their eight rules. */
export const endpointRows = {
  'endpoints.json': tested('payloads are JSON'),

  'endpoints.siws-nonce': tested('POST /v1/auth/siws/nonce takes {} and answers { nonce }'),
  'endpoints.siws-nonce.auth': tested('POST /v1/auth/siws/nonce needs no authentication'),
  'endpoints.siws': tested(
    'POST /v1/auth/siws takes pubkey, signature, nonce and sets svc_session',
  ),
  'endpoints.siws.auth': tested('POST /v1/auth/siws needs no authentication'),
  'endpoints.wallet-create': tested('POST /v1/wallet answers txBase64, vaultPda, vaultUsdcAta'),
  'endpoints.wallet-create.auth': tested('POST /v1/wallet is for the cookie'),
  'endpoints.wallet-read': tested('GET /v1/wallet answers the wallet’s state'),
  'endpoints.wallet-read.auth': tested('GET /v1/wallet is for the cookie'),
  'endpoints.session-create': tested(
    'POST /v1/session answers session_id, session_pda, api_key, txBase64',
  ),
  'endpoints.session-create.auth': tested('POST /v1/session is for the cookie'),
  'endpoints.rotate-key': tested(
    'POST /v1/session/:id/rotate-key issues a new api_key, the old one stops at once',
  ),
  'endpoints.rotate-key.auth': tested('POST /v1/session/:id/rotate-key is for the cookie'),
  'endpoints.audit': tested('GET /v1/audit answers { items, next_cursor }, ordered by cursor'),
  'endpoints.audit.filter': tested('GET /v1/audit filters by decision'),
  'endpoints.audit.auth': tested('GET /v1/audit is for the cookie'),
  'endpoints.deposit-address': tested(
    'GET /v1/fund/deposit-address answers the vault’s token account',
  ),
  'endpoints.deposit-address.auth': tested(
    'GET /v1/fund/deposit-address is for the cookie, never for agents',
  ),
  'endpoints.unsigned': tested(
    'returned transactions are unsigned; the owner signs and submits them',
  ),

  'endpoints.position': tested(
    'GET /v1/yield/position answers 200 { liquid, deployed, accrued, total_balance }',
  ),
  'endpoints.position.no-effects': tested('GET /v1/yield/position has no side effects'),
  'endpoints.position.first-call': tested(
    'GET /v1/yield/position verifies a key from its creation on',
  ),
  'endpoints.transfer': tested(
    'POST /v1/spend/transfer answers { tx_signature, status: confirmed }',
  ),
  'endpoints.sign-payment': tested(
    'POST /v1/spend/sign-payment answers { tx_signature, payment_proof_header }',
  ),
  'endpoints.sign-payment.proof': tested(
    'the caller’s own request with X-Payment-Proof is then served',
  ),
  'endpoints.service': tested(
    'POST /v1/spend/service passes status and body of the service through',
  ),
  'endpoints.service.x-tx-signature': tested(
    'POST /v1/spend/service answers x-tx-signature with the payment’s signature',
  ),
  'endpoints.yield-deposit': tested('POST /v1/yield/deposit answers the transaction’s result'),
  'endpoints.yield-withdraw': tested('POST /v1/yield/withdraw answers { tx_signature }'),
  'endpoints.agents.auth': tested('agent endpoints want a bearer key; a cookie does not open them'),

  'rules.1.recipient-listed': tested(
    'a transfer’s recipient must be in the session’s on-chain list',
  ),
  'rules.1.token-account-exists': tested(
    'the recipient’s token account must exist; agents cannot create it',
  ),
  'rules.2.url-listed': tested('sign-payment: the url must be in the allowlist'),
  'rules.2.agent-retries': tested(
    'sign-payment: the backend pays, the agent repeats its request itself',
  ),
  'rules.3.probe': tested('service: the backend asks first, without payment, and gets a 402'),
  'rules.3.max-amount': tested('service: the quote must not exceed max_amount'),
  'rules.3.recipient': tested('service: the payee must be among the session’s recipients'),
  'rules.3.liquid': tested('service: liquid must hold the quote'),
  'rules.3.repeats-with-proof': tested(
    'service: paid and audited, the request is repeated with X-Payment-Proof',
  ),
  'rules.3.bypasses-urls': tested('service: catalogued slugs need no URL entry'),
  'rules.3.unknown-slug': tested('service: an unknown slug is 404'),
  'rules.3.disabled-slug': tested('service: a disabled slug is 404'),
  'rules.4.bitmap': tested('yield: the session’s bitmap must permit the instruction'),
  'rules.4.fraction': tested(
    'deposit: (deployed + amount) * 10000 / total must not exceed max_deployed_fraction_bp',
  ),
  'rules.4.deployed': tested('withdraw: the amount must not exceed deployed_amount'),
  'rules.4.owner-too': tested('yield: the owner may deposit and withdraw too'),
  'rules.4.switched-off': tested('yield: 503 YIELD_DISABLED where it is switched off'),
  'rules.5.partial-liquidity': tested(
    'a withdrawal that the reserve cannot serve whole is 409 PARTIAL_LIQUIDITY { available }',
  ),
  'rules.5.smaller-amount': tested('after PARTIAL_LIQUIDITY a smaller amount goes through'),
  'rules.6.1-authenticate': tested('first of all the key is authenticated'),
  'rules.6.2-time-window': tested('then the time window: outside it is denied'),
  'rules.6.3-url': tested('then the URL: catalogued, or matched by the allowlist'),
  'rules.6.4-liquidity': tested('then liquidity, strictly: nothing is withdrawn from yield for it'),
  'rules.6.5-signs': tested(
    'then the typed instruction is built, signed with the session’s key and submitted',
  ),
  'rules.6.6-on-chain': tested('the program applies all hard limits'),
  'rules.6.7-audit': tested('an audit row is written for allow and for deny'),
  'rules.7.insufficient': tested(
    'liquid below the amount: 402 INSUFFICIENT_LIQUID and no transaction',
  ),
  'rules.7.withdraw-first': tested(
    'deployed funds have to be withdrawn by the caller before they can be spent',
  ),
  'rules.8.reads': tested('read-only calls write no audit row'),
} as const satisfies Section;
