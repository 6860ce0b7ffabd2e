import type { ErrorRows } from './error-row.ts';

/** Refusals of an owner's sign-in and cookie. */
export const OWNER_ROWS = {
  MISSING_SESSION_COOKIE: {
    status: 401,
    error: 'missing session cookie',
    retryable: false,
    when: 'the cookie svc_session is missing: sign in first',
  },
  INVALID_JWT: {
    status: 401,
    error: 'invalid jwt',
    retryable: false,
    when: 'the cookie is invalid, expired or signed out; also an agent key on an owner route',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    error: 'origin not allowed',
    retryable: false,
    when: 'the request comes from a page other than the dashboard',
  },
  INVALID_NONCE: {
    status: 401,
    error: 'invalid nonce',
    retryable: false,
    when: 'the nonce is unknown, used or older than five minutes: request a new one',
  },
  INVALID_SIGNATURE: {
    status: 401,
    error: 'invalid signature',
    retryable: false,
    when: 'the signature does not match the text and the key; the nonce is used up',
  },
} as const satisfies ErrorRows;

/** Refusals of an agent's key. */
export const AGENT_ROWS = {
  MISSING_BEARER_TOKEN: {
    status: 401,
    error: 'missing bearer token',
    retryable: false,
    when: 'the header Authorization: Bearer is missing',
  },
  INVALID_TOKEN_FORMAT: {
    status: 401,
    error: 'invalid token format',
    retryable: false,
    when: 'the token begins with neither svc_dev_ nor svc_prod_, nor as keys of this deployment',
  },
  INVALID_API_KEY: {
    status: 401,
    error: 'invalid api key',
    retryable: false,
    when: 'no session has this key; `detail` says so when it is a key of another cluster',
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
