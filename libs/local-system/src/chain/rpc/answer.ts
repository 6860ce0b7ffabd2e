/** JSON-RPC 2.0: one request or a batch as text, the reply as text. */

import { z } from 'zod';
import type { ChainEngine } from '../engine/chain-engine.ts';
import { callMethod } from './methods.ts';
import { INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, RpcError } from './rpc-error.ts';

const MAX_BATCH = 1_000;

const requestSchema = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: z.array(z.unknown()).nullish(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
});

type Id = string | number | null;

/** Null when nothing is to be answered: all requests were notifications. */
export function answerText(chain: ChainEngine, text: string): string | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return JSON.stringify(errorReply(null, new RpcError(PARSE_ERROR, 'Parse error')));
  }
  if (!Array.isArray(body)) {
    const reply = answer(chain, body);
    return reply === null ? null : JSON.stringify(reply);
  }
  if (body.length === 0 || body.length > MAX_BATCH) {
    return JSON.stringify(errorReply(null, new RpcError(INVALID_REQUEST, 'Invalid request')));
  }
  const replies = body.map((one) => answer(chain, one)).filter((reply) => reply !== null);
  return replies.length === 0 ? null : JSON.stringify(replies);
}

function answer(chain: ChainEngine, body: unknown): object | null {
  const request = requestSchema.safeParse(body);
  if (!request.success) return errorReply(null, new RpcError(INVALID_REQUEST, 'Invalid request'));
  const { method, params, id } = request.data;
  try {
    const result = callMethod(chain, method, params ?? []);
    return id === undefined ? null : { jsonrpc: '2.0', result, id };
  } catch (error) {
    return id === undefined ? null : errorReply(id, error);
  }
}

function errorReply(id: Id, error: unknown): object {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return { jsonrpc: '2.0', error: { code, message, data }, id };
  }
  console.error(error);
  return { jsonrpc: '2.0', error: { code: INTERNAL_ERROR, message: 'Internal error' }, id };
}
