/** The errors of JSON-RPC and of Solana nodes, with the codes and texts that clients match on. */

export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
export const PARSE_ERROR = -32_700;
const PREFLIGHT_FAILURE = -32_002;
const SIGNATURE_FAILURE = -32_003;
const BLOCK_NOT_AVAILABLE = -32_004;
const UNSUPPORTED_VERSION = -32_015;
const MIN_CONTEXT_SLOT = -32_016;

/** Becomes the `error` of a reply. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = (message: string): RpcError => new RpcError(INVALID_PARAMS, message);

export const preflightFailure = (message: string, data: unknown): RpcError =>
  new RpcError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${message}`, data);

export const signatureFailure = (): RpcError =>
  new RpcError(SIGNATURE_FAILURE, 'Transaction signature verification failure');

export const blockNotAvailable = (slot: number): RpcError =>
  new RpcError(BLOCK_NOT_AVAILABLE, `Block not available for slot ${slot}`);

export const unsupportedVersion = (version: number): RpcError =>
  new RpcError(
    UNSUPPORTED_VERSION,
    `Transaction version (${version}) is not supported by the requesting client. Please try the ` +
      'request again with the following configuration parameter: ' +
      `"maxSupportedTransactionVersion": ${version}`,
  );

export const minContextSlotNotReached = (contextSlot: number): RpcError =>
  new RpcError(MIN_CONTEXT_SLOT, 'Minimum context slot has not been reached', { contextSlot });
