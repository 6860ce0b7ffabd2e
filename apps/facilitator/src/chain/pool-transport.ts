import type { RpcPool } from '@agent-wallet/chain';
import { createDefaultRpcTransport, type RpcTransport } from '@solana/kit';

/** The first endpoint and one failover, as for the pool's own reads. */
const MOST_TRIES = 2;

/**
 * The reads of the reference implementation, on the endpoint that the pool finds healthiest and, if
 * that one fails, on the next. `urls` are those of the pool in its order.
 */
export function createPoolTransport({
  pool,
  urls,
  timeoutMs,
}: {
  readonly pool: Pick<RpcPool, 'readable'>;
  readonly urls: readonly string[];
  /** Of each call. */
  readonly timeoutMs: number;
}): RpcTransport {
  const transports = urls.map((url) => createDefaultRpcTransport({ url }));
  return async (request) => {
    let failure: unknown = new Error('no RPC endpoint is readable');
    for (const { index } of pool.readable().slice(0, MOST_TRIES)) {
      const transport = transports[index];
      if (transport === undefined) continue;
      try {
        const timeout = AbortSignal.timeout(timeoutMs);
        const signal =
          request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
        return await transport({ ...request, signal });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}
