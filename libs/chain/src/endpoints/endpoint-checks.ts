/** The periodic health check of the endpoints of a pool. */

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
  // A check is no reason to disturb an endpoint that has asked for a pause.
  if (!endpoint.takes('getSlot')) return;
  const startedAtMs = performance.now();
  const slot = await endpoint.rpc.slot('confirmed');
  endpoint.seen({ slot, latencyMs: performance.now() - startedAtMs });
}

/**
 * Checks all endpoints concurrently, now and every `everyMs`; resolves after the first round. A
 * failed check counts for the endpoint's breaker, and a check is the call that the breaker lets
 * through after its pause.
 */
export async function startHealthChecks(options: {
  readonly endpoints: readonly Endpoint[];
  readonly genesisHash: string;
  readonly everyMs: number;
  /** Called after each round. */
  readonly onRound: () => void;
}): Promise<{ stop(): Promise<void> }> {
  const { endpoints, genesisHash, everyMs, onRound } = options;
  const stopping = new AbortController();
  const checkAll = async (): Promise<void> => {
    await Promise.allSettled(endpoints.map((endpoint) => check(endpoint, genesisHash)));
    onRound();
  };
  const keepChecking = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) await checkAll();
    }
  };
  await checkAll();
  const checking = keepChecking();
  return {
    async stop() {
      stopping.abort();
      await checking;
    },
  };
}
