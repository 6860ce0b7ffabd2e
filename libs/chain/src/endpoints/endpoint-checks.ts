/** The light check that keeps an eye on every endpoint of a pool. */

import { setTimeout as delay } from 'node:timers/promises';

import type { Endpoint } from './endpoint.ts';

async function check(endpoint: Endpoint, genesisHash: string): Promise<void> {
  const { chain } = endpoint.facts();
  if (chain === 'wrong') return;
  if (chain === 'unverified') {
    const theirs = await endpoint.rpc.genesisHash();
    endpoint.verified(theirs, genesisHash);
    if (theirs !== genesisHash) return;
  }
  const startedAtMs = performance.now();
  const slot = await endpoint.rpc.slot('confirmed');
  endpoint.seen({ slot, latencyMs: performance.now() - startedAtMs });
}

/**
 * Looks at all endpoints at once, now and every `everyMs`; resolves after the first look. A failed
 * look counts for the endpoint's breaker, and is the call that tries again after its pause.
 */
export async function startHealthChecks(options: {
  readonly endpoints: readonly Endpoint[];
  readonly genesisHash: string;
  readonly everyMs: number;
  /** Called after every look. */
  readonly tell: () => void;
}): Promise<{ stop(): Promise<void> }> {
  const { endpoints, genesisHash, everyMs, tell } = options;
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    await Promise.allSettled(endpoints.map((endpoint) => check(endpoint, genesisHash)));
    tell();
  };
  const keepLooking = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) await look();
    }
  };
  await look();
  const looking = keepLooking();
  return {
    async stop() {
      stopping.abort();
      await looking;
    },
  };
}
