/**
 * Which errors of a call are faults of the endpoint. A JSON-RPC error concerns the request, and
 * each endpoint would return the same; anything else instead of a reply is a fault of the endpoint.
 */

import { isAppError } from '@agent-wallet/errors';
import { SolanaJSONRPCError } from '@solana/web3.js';
import { BrokenCircuitError } from 'cockatiel';

import { ThrottledError } from '../rpc/throttled-error.ts';

/** The endpoint replied with a state older than `minContextSlot`. */
export class BehindError extends Error {
  override readonly name = 'BehindError';
}

/** JSON-RPC codes of a node that is behind: unhealthy, or before the requested minimum slot. */
const BEHIND_CODES: ReadonlySet<unknown> = new Set([-32_005, -32_016]);

export function isBehindCode(code: unknown): boolean {
  return BEHIND_CODES.has(code);
}

/**
 * Whether there was no usable reply: no connection, a timeout, a 5xx, garbage. An endpoint that
 * throttles is well and asks for a pause. `cause` is the error of the call itself.
 */
export function isTransportFault(cause: unknown): boolean {
  if (cause instanceof BehindError || cause instanceof ThrottledError) return false;
  return !(cause instanceof SolanaJSONRPCError);
}

/** Whether the call failed without being sent. `cause` is the error of the call itself. */
export function isUnsent(cause: unknown): boolean {
  if (cause instanceof ThrottledError) return cause.by === 'paused';
  return cause instanceof BrokenCircuitError;
}

/**
 * Whether the calls of this process fail at once, because no endpoint responds or takes more of
 * them. `error` was thrown by a method of the RPC client; a single call that is lost does not count.
 */
export function isChainAway(error: unknown): boolean {
  return isAppError(error, 'RPC_UNAVAILABLE') && isUnsent(error.cause);
}

/**
 * Whether the endpoint throttles or lags: it would refuse any other request of this kind as well.
 * `error` was thrown by a method of the RPC client.
 */
export function isRefusedForNow(error: unknown): boolean {
  if (!isAppError(error, 'RPC_UNAVAILABLE')) return false;
  const { cause } = error;
  if (cause instanceof BehindError || cause instanceof ThrottledError) return true;
  return cause instanceof SolanaJSONRPCError && isBehindCode(cause.code);
}

/** Whether another endpoint may succeed; `error` was thrown by a method of the RPC client. */
export function isWorthAnotherEndpoint(error: unknown): boolean {
  if (!isAppError(error, 'RPC_UNAVAILABLE')) return false;
  return isRefusedForNow(error) || isTransportFault(error.cause);
}
