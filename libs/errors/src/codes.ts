/**
 * The codes of faults. Codes are never renamed: operators and clients match on them. The HTTP
 * answer to each is a row of the error table in `libs/contract`.
 */
export type ErrorCode =
  | 'RPC_UNAVAILABLE'
  | 'FEE_PAYERS_EMPTY'
  | 'RECOVERING'
  | 'DATABASE_UNAVAILABLE'
  | 'SESSION_KEYS_NOT_READY'
  | 'SERVER_MISCONFIGURED'
  | 'CHAIN_MISMATCH'
  | 'SIGNER_MISMATCH'
  | 'KEYSTORE_UNAVAILABLE'
  | 'AUDIT_BROKEN'
  | 'INTERNAL';
