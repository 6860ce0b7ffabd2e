/**
 * One JSON-RPC call without the client library, which drops the `err` of a failed preflight and
 * keeps only its text, and parses long replies slowly.
 */

import { SolanaJSONRPCError } from '@solana/web3.js';

import type { RpcReply } from './send/simulation.ts';
import { isThrottledCode } from './throttled-error.ts';

export type Fetch = typeof globalThis.fetch;

/** Calls one method of one node. */
export type CallNode = (method: string, params: readonly unknown[]) => Promise<RpcReply>;

const BODY_LIMIT_BYTES = 1_048_576;

function replyOf(body: unknown): RpcReply {
  if (typeof body !== 'object' || body === null) throw new TypeError('the answer is not an object');
  if ('error' in body && typeof body.error === 'object' && body.error !== null) {
    const { error } = body;
    const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
    const message = 'message' in error && typeof error.message === 'string' ? error.message : '';
    return { ok: false, code, message, data: 'data' in error ? error.data : null };
  }
  if (!('result' in body)) throw new TypeError('the answer has neither result nor error');
  return { ok: true, result: body.result };
}

/** Posts one call. Throws on transport faults, throttling, and a reply that is not JSON-RPC. */
export async function callJsonRpc(
  fetch: Fetch,
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<RpcReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  if (text.length > BODY_LIMIT_BYTES) throw new RangeError('the answer is too large');
  // Some nodes return errors as a 4xx with a JSON-RPC body.
  const body: unknown = JSON.parse(text);
  const reply = replyOf(body);
  if (!reply.ok && isThrottledCode(reply.code)) throw new SolanaJSONRPCError(reply, method);
  return reply;
}
