/** How a code looks to an HTTP client: the status and the contract's `error` text. */
export type HttpFace = {
  readonly status: number;
  readonly error: string;
  readonly retryable: boolean;
};

/**
 * Every fault has a code here and a face that says no more than the client may know.
 * Codes are never renamed: operators and clients match on them.
 */
const FACES = {
  RPC_UNAVAILABLE: { status: 503, error: 'rpc unavailable', retryable: true },
  FEE_PAYERS_EMPTY: { status: 503, error: 'temporarily unavailable', retryable: true },
  RECOVERING: { status: 503, error: 'rpc unavailable', retryable: true },
  DATABASE_UNAVAILABLE: { status: 503, error: 'database unavailable', retryable: true },
  SESSION_KEYS_NOT_READY: { status: 503, error: 'session keys not ready', retryable: true },
  SERVER_MISCONFIGURED: { status: 500, error: 'server misconfigured', retryable: false },
  CHAIN_MISMATCH: { status: 500, error: 'server misconfigured', retryable: false },
  SIGNER_MISMATCH: { status: 500, error: 'internal error', retryable: false },
  KEYSTORE_UNAVAILABLE: { status: 500, error: 'internal error', retryable: true },
  AUDIT_BROKEN: { status: 500, error: 'internal error', retryable: false },
  INTERNAL: { status: 500, error: 'internal error', retryable: false },
} as const satisfies Record<string, HttpFace>;

export type ErrorCode = keyof typeof FACES;

/** The HTTP face of a code. */
export function httpFaceOf(code: ErrorCode): HttpFace {
  return FACES[code];
}
