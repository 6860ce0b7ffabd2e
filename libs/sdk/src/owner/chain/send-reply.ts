import { z } from 'zod';
import type { RpcReply } from './rpc-node.ts';

/** What a node's reply says about where the bytes are. */
export type SendReply =
  /** The node simulated the transaction, saw it fail, and did not pass it on. */
  | { readonly kind: 'refused'; readonly message: string; readonly detail: string }
  /** The node does not know the blockhash, yet or any more, and did not pass the bytes on. */
  | { readonly kind: 'unknown_blockhash' }
  /** The node is behind or has too many calls, and did not take the bytes. */
  | { readonly kind: 'not_taken' }
  /** The bytes are on their way, or may be. */
  | { readonly kind: 'unknown' };

const PREFLIGHT_FAILURE = -32_002;
/** Unhealthy, behind the required slot, too many requests. */
const NOT_TAKEN: ReadonlySet<number> = new Set([-32_005, -32_016, -32_429, 429]);
const LOG_LINES = 3;

const simulation = z.looseObject({ err: z.unknown(), logs: z.array(z.string()).nullish() });

/** Reads the reply to `sendTransaction`; null is none. */
export function readSendReply(reply: RpcReply | null): SendReply {
  const error = reply?.error;
  if (error === undefined) return { kind: 'unknown' };
  if (NOT_TAKEN.has(error.code)) return { kind: 'not_taken' };
  const { data } = simulation.safeParse(error['data']);
  if (error.code !== PREFLIGHT_FAILURE || data === undefined) return { kind: 'unknown' };
  if (data.err === 'BlockhashNotFound') return { kind: 'unknown_blockhash' };
  if (data.err === 'AlreadyProcessed' || data.err === null) return { kind: 'unknown' };
  const logs = (data.logs ?? []).slice(-LOG_LINES);
  const detail = [JSON.stringify(data.err), ...logs].join(' / ');
  return { kind: 'refused', message: error.message, detail };
}
