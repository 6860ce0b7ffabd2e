/** JSON-RPC 2.0: one request or a batch as text, the reply as text. */

import { z } from 'zod';
import type { ChainEngine } from '../engine/chain-engine.ts';
import { callMethod } from './methods.ts';
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  invalidParams,
  PARSE_ERROR,
  RpcError,
} from './rpc-error.ts';

const MAX_BATCH = 1_000;

const idSchema = z.union([z.string(), z.number(), z.null()]);
const requestSchema = z.object({
  jsonrpc: z.literal('2.0').optional(),
  method: z.string(),
  params: z.union([z.array(z.unknown()), z.looseObject({})]).nullish(),
  id: idSchema.optional(),
});
/** Enough of a request to answer that it is none. */
const identified = z.looseObject({ id: idSchema.catch(null).default(null) });

type Id = z.infer<typeof idSchema>;

/** Null when nothing is to be answered: all requests were notifications. */
export function answerText(chain: ChainEngine, text: string): string | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  const requests = Array.isArray(body) ? body : [body];
  if (!requests.every((one) => identified.safeParse(one).success)) {
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
  if (!request.success) {
    return errorReply(identified.parse(body).id, invalidRequest('Invalid request'));
  }
  const { jsonrpc, method, params, id } = request.data;
  if (id === undefined) return null;
  try {
    if (jsonrpc === undefined) throw invalidRequest('Unsupported JSON-RPC protocol version');
    if (params && !Array.isArray(params)) throw invalidParams('Invalid params: expected an array');
    return { jsonrpc: '2.0', result: callMethod(chain, method, params ?? []), id };
  } catch (error) {
    return errorReply(id, error);
  }
}

const invalidRequest = (message: string): RpcError => new RpcError(INVALID_REQUEST, message);

function errorReply(id: Id, error: unknown): object {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return { jsonrpc: '2.0', error: { code, message, data }, id };
  }
  console.error(error);
  return { jsonrpc: '2.0', error: { code: INTERNAL_ERROR, message: 'Internal error' }, id };
}
