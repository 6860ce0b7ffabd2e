/**
 * What a failed call says about the endpoint. An error that the node gave as its answer is about
 * the question, and every other endpoint would say the same; what came instead of an answer is
 * about the endpoint.
 */

import { isAppError } from '@agent-wallet/errors';
import { SolanaJSONRPCError } from '@solana/web3.js';

/** The endpoint answered, but from before the slot that was asked for. */
export class BehindError extends Error {
  override readonly name = 'BehindError';
}

/** JSON-RPC codes of a node that is behind: unhealthy, or before the least slot asked for. */
const BEHIND_CODES: ReadonlySet<unknown> = new Set([-32_005, -32_016]);
/** What providers put into the body of a throttled call. */
const THROTTLED_CODES: ReadonlySet<unknown> = new Set([429, -32_429]);

/**
 * Whether nothing usable came back: no connection, no answer in time, throttled, a 5xx, garbage.
 * `cause` is what the call itself threw.
 */
export function isTransportFault(cause: unknown): boolean {
  if (cause instanceof BehindError) return false;
  return !(cause instanceof SolanaJSONRPCError) || THROTTLED_CODES.has(cause.code);
}

/** Whether another endpoint may know better; `error` is what a method of the RPC client threw. */
export function isWorthAnotherEndpoint(error: unknown): boolean {
  if (!isAppError(error, 'RPC_UNAVAILABLE')) return false;
  const { cause } = error;
  if (cause instanceof BehindError || isTransportFault(cause)) return true;
  return cause instanceof SolanaJSONRPCError && BEHIND_CODES.has(cause.code);
}
