import type { ChainEngine } from '../engine/chain-engine.ts';
import { answerText } from './answer.ts';

/**
 * A `fetch` that a chain of this process answers, whatever the URL: for clients of a node in tests
 * whose subject is not the network.
 */
export function createChainFetch(chain: ChainEngine): typeof globalThis.fetch {
  return async (input, init) => {
    init?.signal?.throwIfAborted();
    const text = await new Request(input, init).text();
    const headers = { 'content-type': 'application/json' };
    return new Response(answerText(chain, text) ?? '', { headers });
  };
}
