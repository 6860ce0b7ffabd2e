import { section } from './row-class.ts';

/** "Endpoints" and their eight rules. */
export const endpointRows = section({
  'endpoints.json': 'payloads are JSON',

  'endpoints.siws-nonce': 'POST /v1/auth/siws/nonce takes {} and returns { nonce }',
  'endpoints.siws-nonce.auth': 'POST /v1/auth/siws/nonce needs no authentication',
  'endpoints.siws': 'POST /v1/auth/siws takes pubkey, signature, nonce and sets svc_session',
  'endpoints.siws.auth': 'POST /v1/auth/siws needs no authentication',
  'endpoints.wallet-create': 'POST /v1/wallet returns txBase64, vaultPda, vaultUsdcAta',
  'endpoints.wallet-create.auth': 'POST /v1/wallet needs the cookie',
  'endpoints.wallet-read': 'GET /v1/wallet returns the wallet’s state',
  'endpoints.wallet-read.auth': 'GET /v1/wallet needs the cookie',
  'endpoints.session-create': 'POST /v1/session returns session_id, session_pda, api_key, txBase64',
  'endpoints.session-create.auth': 'POST /v1/session needs the cookie',
  'endpoints.rotate-key':
    'POST /v1/session/:id/rotate-key issues a new api_key, the old one stops at once',
  'endpoints.rotate-key.auth': 'POST /v1/session/:id/rotate-key needs the cookie',
  'endpoints.audit': 'GET /v1/audit returns { items, next_cursor }, ordered by cursor',
  'endpoints.audit.filter': 'GET /v1/audit filters by decision',
  'endpoints.audit.auth': 'GET /v1/audit needs the cookie',
  'endpoints.deposit-address': 'GET /v1/fund/deposit-address returns the vault’s token account',
  'endpoints.deposit-address.auth':
    'GET /v1/fund/deposit-address needs the cookie; agent keys are refused',
  'endpoints.unsigned': 'returned transactions are unsigned; the owner signs and submits them',

  'endpoints.position':
    'GET /v1/yield/position returns 200 { liquid, deployed, accrued, total_balance }',
  'endpoints.position.no-effects': 'GET /v1/yield/position has no side effects',
  'endpoints.position.first-call': 'GET /v1/yield/position verifies a key from its creation on',
  'endpoints.transfer': 'POST /v1/spend/transfer returns { tx_signature, status: confirmed }',
  'endpoints.sign-payment':
    'POST /v1/spend/sign-payment returns { tx_signature, payment_proof_header }',
  'endpoints.sign-payment.proof': 'the caller’s own request with X-Payment-Proof is then served',
  'endpoints.service': 'POST /v1/spend/service passes status and body of the service through',
  'endpoints.service.x-tx-signature':
    'POST /v1/spend/service returns x-tx-signature with the payment’s signature',
  'endpoints.yield-deposit': 'POST /v1/yield/deposit returns the transaction’s result',
  'endpoints.yield-withdraw': 'POST /v1/yield/withdraw returns { tx_signature }',
  'endpoints.agents.auth': 'agent endpoints need a bearer key; a cookie is not enough',

  'rules.1.recipient-listed': 'a transfer’s recipient must be in the session’s on-chain list',
  'rules.1.token-account-exists':
    'the recipient’s token account must exist; agents cannot create it',
  'rules.2.url-listed': 'sign-payment: the url must be in the allowlist',
  'rules.2.agent-retries': 'sign-payment: the backend pays, the agent repeats its request itself',
  'rules.3.probe': 'service: the backend probes without payment and gets a 402',
  'rules.3.max-amount': 'service: the quote must not exceed max_amount',
  'rules.3.recipient': 'service: the payee must be among the session’s recipients',
  'rules.3.liquid': 'service: liquid must hold the quote',
  'rules.3.repeats-with-proof':
    'service: paid and audited, the request is repeated with X-Payment-Proof',
  'rules.3.bypasses-urls': 'service: slugs of the catalog need no URL entry',
  'rules.3.unknown-slug': 'service: an unknown slug is 404',
  'rules.3.disabled-slug': 'service: a disabled slug is 404',
  'rules.4.bitmap': 'yield: the session’s bitmap must permit the instruction',
  'rules.4.fraction':
    'deposit: (deployed + amount) * 10000 / total must not exceed max_deployed_fraction_bp',
  'rules.4.deployed': 'withdraw: the amount must not exceed deployed_amount',
  'rules.4.owner-too': 'yield: the owner may deposit and withdraw too',
  'rules.4.switched-off': 'yield: 503 YIELD_DISABLED where it is switched off',
  'rules.5.partial-liquidity':
    'more than the reserve has available: 409 PARTIAL_LIQUIDITY { available }',
  'rules.5.smaller-amount': 'after PARTIAL_LIQUIDITY a smaller amount goes through',
  'rules.6.1-authenticate': 'first of all the key is authenticated',
  'rules.6.2-time-window': 'then the time window: outside it is denied',
  'rules.6.3-url': 'then the URL: in the catalog, or matched by the allowlist',
  'rules.6.4-liquidity': 'then liquidity, strictly: nothing is withdrawn from yield for it',
  'rules.6.5-signs': 'then the instruction is built, signed with the session’s key, submitted',
  'rules.6.6-on-chain': 'the program applies all hard limits',
  'rules.6.7-audit': 'an audit row is written for allow and for deny',
  'rules.7.insufficient': 'liquid below the amount: 402 INSUFFICIENT_LIQUID and no transaction',
  'rules.7.withdraw-first': 'the caller must withdraw deployed funds before spending them',
  'rules.8.reads': 'read-only calls write no audit row',
});
