/** Every answer of the HTTP interface that is not a success, once. */

import { type ErrorRow, type ErrorRows, SPEND_ID } from './error-row.ts';
import { SERVICE_ERROR_ROWS } from './service-rows.ts';

const SESSION = {
  MISSING_SESSION_COOKIE: {
    status: 401,
    error: 'missing session cookie',
    retryable: false,
    when: 'no cookie svc_session: sign in first',
  },
  INVALID_JWT: {
    status: 401,
    error: 'invalid jwt',
    retryable: false,
    when: 'the cookie is not ours, ran out or was ended; also an agent key where a cookie belongs',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    error: 'origin not allowed',
    retryable: false,
    when: 'a page other than the dashboard made the call',
  },
  INVALID_NONCE: {
    status: 401,
    error: 'invalid nonce',
    retryable: false,
    when: 'the nonce is unknown, used or older than five minutes: ask for a new one',
  },
  INVALID_SIGNATURE: {
    status: 401,
    error: 'invalid signature',
    retryable: false,
    when: 'the signature is not of this key over the text; the nonce is used up',
  },
} as const satisfies ErrorRows;

const KEY = {
  MISSING_BEARER_TOKEN: {
    status: 401,
    error: 'missing bearer token',
    retryable: false,
    when: 'no header Authorization: Bearer',
  },
  INVALID_TOKEN_FORMAT: {
    status: 401,
    error: 'invalid token format',
    retryable: false,
    when: 'the token begins with neither svc_dev_ nor svc_prod_',
  },
  INVALID_API_KEY: {
    status: 401,
    error: 'invalid api key',
    retryable: false,
    when: 'no session has this key',
  },
  API_KEY_REVOKED: {
    status: 401,
    error: 'api key revoked',
    retryable: false,
    when: 'the key was rotated',
  },
  SESSION_REVOKED: {
    status: 401,
    error: 'session revoked',
    retryable: false,
    when: 'the owner revoked the session on chain',
  },
} as const satisfies ErrorRows;

const REQUEST = {
  BAD_REQUEST: {
    status: 400,
    error: 'amount must be a positive number in base units: an integer above 0',
    varies: ['error'],
    retryable: false,
    when: "the request is not valid; the text begins with the field's name",
  },
  BODY_TOO_LARGE: {
    status: 413,
    error: 'body too large',
    retryable: false,
    when: 'above 64 KiB, above 256 KiB for a service',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    error: 'content-type must be application/json',
    retryable: false,
    when: 'a body of another content type',
  },
  RATE_LIMITED: {
    status: 429,
    error: 'rate limited',
    retryable: true,
    when: 'too many calls; Retry-After has the seconds',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    error: 'idempotency key reused',
    retryable: false,
    when: 'the key came with another request before',
    extra: { remedy: 'send a new Idempotency-Key with a new request' },
  },
} as const satisfies ErrorRows;

const STATE = {
  WALLET_NOT_FOUND: {
    status: 404,
    error: 'wallet not found',
    retryable: false,
    when: 'the owner has no wallet, or it is not this one',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    error: 'session not found',
    retryable: false,
    when: "no session of that id, or somebody else's",
  },
  SPEND_NOT_FOUND: {
    status: 404,
    error: 'spend not found',
    retryable: false,
    when: "no spend of that id, or another session's",
  },
  SERVICE_NOT_FOUND: {
    status: 404,
    error: "service 'weather' not in catalog or disabled",
    varies: ['error'],
    retryable: false,
    when: 'no enabled entry of that slug',
  },
  WALLET_ALREADY_EXISTS: {
    status: 409,
    error: 'wallet already exists',
    retryable: false,
    when: 'its vault is on chain',
    extra: { remedy: 'read it with GET /v1/wallet' },
  },
  WALLET_NOT_ACTIVE: {
    status: 409,
    error: 'wallet not active',
    retryable: false,
    when: 'its vault is not on chain yet',
    extra: { remedy: 'sign and submit the transaction of POST /v1/wallet first' },
  },
  SESSION_NOT_LIVE: {
    status: 409,
    error: 'session not live',
    retryable: false,
    when: 'it is not on chain yet',
    extra: { remedy: 'sign and submit the transaction of POST /v1/session first' },
  },
  SESSION_ALREADY_REVOKED: {
    status: 409,
    error: 'session already revoked',
    retryable: false,
    when: 'it is no longer on chain',
  },
  SESSION_EXPIRED: {
    status: 409,
    error: 'session expired',
    retryable: false,
    when: 'a change of an expired session names no new expiry',
    extra: { remedy: 'send a new expiry with the change' },
  },
  NOTHING_TO_WITHDRAW: {
    status: 409,
    error: 'nothing to withdraw',
    retryable: false,
    when: 'nothing is liquid',
  },
} as const satisfies ErrorRows;

const RULE = {
  OUTSIDE_TIME_WINDOW: {
    status: 403,
    error: 'OUTSIDE_TIME_WINDOW',
    retryable: null,
    when: "outside the wallet's hours, at acceptance or when a lane took the spend; deny row",
    extra: {
      opens_at: 1_800_000_000,
      remedy: 'wait until opens_at, or have the owner change the time window',
    },
  },
  URL_NOT_ALLOWED: {
    status: 403,
    error: 'URL_NOT_ALLOWED',
    retryable: false,
    when: 'no pattern of the allowlist covers the URL, or none lets this much through; deny row',
    extra: { max_per_call: 50_000, remedy: 'pay at most max_per_call, or have the owner raise it' },
  },
  INSUFFICIENT_LIQUID: {
    status: 402,
    error: 'INSUFFICIENT_LIQUID',
    retryable: null,
    when: 'less is liquid than asked for, or what is liquid is reserved; deny row for agents',
    extra: {
      liquid: 1_000_000,
      amount: 1_500_000,
      deficit: 500_000,
      remedy: "send USDC to the vault's token account, or withdraw from yield first",
    },
  },
  QUOTED_OVER_MAX: {
    status: 402,
    error: 'QUOTED_OVER_MAX',
    retryable: false,
    when: 'the service asks for more than the agent or the catalogue allows; deny row',
    extra: {
      quoted: 60_000,
      max_amount: 50_000,
      remedy: 'raise max_amount; above that decides what the operator allows this service',
    },
  },
  PROGRAM: {
    status: 402,
    error: 'on-chain submission failed',
    varies: ['code'],
    layer: 'on-chain',
    retryable: null,
    when: "the program refused: code is its error's name, detail its words; deny row",
    extra: {
      code: 'DailyCapExceeded',
      detail: 'AnchorError occurred. Error Code: DailyCapExceeded. Error Number: 6006.',
      remedy: 'wait until resets_at, or have the owner raise daily_cap',
      resets_at: 1_800_000_000,
      spend_id: SPEND_ID,
    },
  },
  PARTIAL_LIQUIDITY: {
    status: 409,
    error: 'PARTIAL_LIQUIDITY',
    varies: ['layer'],
    retryable: true,
    when: 'the yield reserve has less than asked for; deny row for agents',
    extra: {
      available: 1_000_000,
      remedy: 'withdraw at most available, or wait until the reserve has more',
    },
  },
  YIELD_DISABLED: {
    status: 503,
    error: 'YIELD_DISABLED',
    retryable: false,
    when: 'yield is switched off in this environment; position reads still work',
    extra: {
      detail: 'yield is switched off in this environment; GET /v1/yield/position still answers',
    },
  },
  TOO_MANY_PENDING: {
    status: 429,
    error: 'too many pending spends',
    retryable: true,
    when: 'as many spends of the session or wallet are open as may be',
    extra: { remedy: 'wait until some of them have settled' },
  },
  FEE_BUDGET_EXCEEDED: {
    status: 429,
    error: 'fee budget exceeded',
    retryable: true,
    when: 'the session has cost the fee payers as much as it may on a day',
    extra: { remedy: 'wait, or have the owner create another session' },
  },
  REVERT_BUDGET_EXCEEDED: {
    status: 429,
    error: 'too many reverted spends',
    retryable: true,
    when: 'as many spends of the session landed and failed as may in 24 hours',
    extra: { remedy: 'wait, or have the owner create another session' },
  },
} as const satisfies ErrorRows;

const FAULT = {
  RPC_UNAVAILABLE: {
    status: 503,
    error: 'rpc unavailable',
    retryable: true,
    when: 'the chain cannot be read; nothing was accepted',
  },
  RECOVERING: {
    status: 503,
    error: 'rpc unavailable',
    retryable: true,
    when: 'the database was restored and older spends may still land; nothing was accepted',
  },
  EXPIRED_UNSENT: {
    status: 503,
    error: 'rpc unavailable',
    retryable: true,
    when: 'no lane took the spend in time: nothing moved',
    extra: { spend_id: SPEND_ID },
  },
  NEVER_LANDED: {
    status: 503,
    error: 'rpc unavailable',
    retryable: true,
    when: 'the chain has proven that no attempt landed or can land: nothing moved',
    extra: { spend_id: SPEND_ID },
  },
  FORKED_OUT: {
    status: 503,
    error: 'rpc unavailable',
    retryable: true,
    when: 'a fork of the chain undid the spend: nothing moved',
    extra: { spend_id: SPEND_ID },
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    error: 'database unavailable',
    retryable: true,
    when: 'the database is away; with spend_id it is open whether a spend was accepted',
  },
  SESSION_KEYS_NOT_READY: {
    status: 503,
    error: 'session keys not ready',
    retryable: true,
    when: 'no free session key right now',
  },
  SERVER_MISCONFIGURED: {
    status: 500,
    error: 'server misconfigured',
    retryable: false,
    when: 'the backend lacks required configuration',
  },
  INTERNAL: { status: 500, error: 'internal error', retryable: false, when: 'a fault of ours' },
} as const satisfies ErrorRows;

/** By `code`; `PROGRAM` stands for every error name of the program. */
const ROWS = { ...SESSION, ...KEY, ...REQUEST, ...STATE, ...RULE, ...SERVICE_ERROR_ROWS, ...FAULT };

export type ErrorName = keyof typeof ROWS;

export const ERROR_ROWS: Readonly<Record<ErrorName, ErrorRow>> = ROWS;
