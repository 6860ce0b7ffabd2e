import { z } from 'zod';
import { AgentWalletError } from '../../http/agent-wallet-error.ts';
import type { Fetch } from '../../http/http-client.ts';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';

const rpcError = z.looseObject({ code: z.number().catch(0), message: z.string() });
const reply = z.object({ result: z.unknown().optional(), error: rpcError.optional() });

/** What one node says about one call. */
export type RpcReply = z.output<typeof reply>;

/** The RPC node that the owner has named. Its errors are no verdict about a transaction. */
export type RpcNode = {
  /** One call; null where the node does not respond in the form of JSON-RPC. */
  call(method: string, params: readonly unknown[], limit: TimeLimit): Promise<RpcReply | null>;
  /**
   * The result in the form of `schema`. Repeats the call after 1, 2, 4 … 30 seconds within the time
   * limit; throws `RPC_UNAVAILABLE` with what the node said last.
   */
  read<Result>(
    method: string,
    params: readonly unknown[],
    schema: z.ZodType<Result>,
    limit: TimeLimit,
  ): Promise<Result>;
};

/** One call that hangs must not use up the time limit of all. */
const CALL_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The node does not have the method, or not with these parameters: it will not have it later. */
const FINAL_CODES: ReadonlySet<number> = new Set([-32_601, -32_602]);

/** Sends nothing by itself. */
export function createRpcNode(deps: {
  readonly rpcUrl: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
}): RpcNode {
  async function call(
    method: string,
    params: readonly unknown[],
    limit: TimeLimit,
  ): Promise<RpcReply | null> {
    const callMs = Math.max(1, Math.ceil(Math.min(CALL_MS, limit.remainingMs())));
    const timeout = AbortSignal.timeout(callMs);
    try {
      const response = await deps.fetch(deps.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.any([timeout, ...(limit.signal === undefined ? [] : [limit.signal])]),
      });
      return reply.parse(await response.json());
    } catch {
      limit.signal?.throwIfAborted();
      return null;
    }
  }

  return {
    call,
    read: async (method, params, schema, limit) => {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        const found = await call(method, params, limit);
        const parsed = schema.safeParse(found?.result);
        if (parsed.success) return parsed.data;
        const isFinal = FINAL_CODES.has(found?.error?.code ?? 0);
        if (isFinal || pauseMs >= limit.remainingMs()) throw unavailable(method, found);
        await deps.clock.sleep(pauseMs, limit.signal);
      }
    },
  };
}

const unavailable = (method: string, found: RpcReply | null): AgentWalletError =>
  new AgentWalletError({
    code: 'RPC_UNAVAILABLE',
    error: `rpcUrl does not respond to ${method}`,
    detail: found?.error?.message ?? 'no reply in the form of JSON-RPC',
    retryable: true,
    remedy: 'try again later, or with another rpcUrl',
  });
