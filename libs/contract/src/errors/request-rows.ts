import type { ErrorRows } from './error-row.ts';

/** Refusals of a request as such. */
export const REQUEST_ROWS = {
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
    when: 'the body exceeds 64 KiB, or 256 KiB for a service',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    error: 'content-type must be application/json',
    retryable: false,
    when: 'the body has another content type',
  },
  RATE_LIMITED: {
    status: 429,
    error: 'rate limited',
    retryable: true,
    when: 'too many requests; Retry-After has the seconds to wait',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    error: 'idempotency key reused',
    retryable: false,
    remedy: 'send a new Idempotency-Key with a new request',
    when: 'the key was sent before with another request',
  },
} as const satisfies ErrorRows;

/** Refusals before a route is found: no route documents them. */
export const UNROUTED_ROWS = {
  ROUTE_NOT_FOUND: {
    status: 404,
    error: 'route not found',
    retryable: false,
    when: 'no route has this path',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    error: 'method not allowed',
    retryable: false,
    when: 'the path has routes of other methods; Allow lists them',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    error: 'request timeout',
    retryable: false,
    when: 'the request did not arrive in time',
  },
  EXPECTATION_FAILED: {
    status: 417,
    error: 'expectation failed',
    retryable: false,
    when: 'the header Expect has another value than 100-continue',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    error: 'headers too large',
    retryable: false,
    when: 'the headers are too large',
  },
} as const satisfies ErrorRows;
