/** Which endpoints are fit for reads, and in which order, decided from their measurements. */

import type { BreakerState } from './circuit-breaker.ts';

/** The facts about an endpoint. An endpoint is not read before its chain is known to be ours. */
export type EndpointFacts = {
  readonly index: number;
  readonly chain: 'unverified' | 'ours' | 'wrong';
  readonly breaker: BreakerState;
  /** Whether it has asked for a pause, of one method at least, that is not over. */
  readonly isThrottled: boolean;
  /** Its newest slot at `confirmed`; null before the first check. */
  readonly slot: bigint | null;
  /** Latency of a light call, smoothed; null before the first check. */
  readonly latencyMs: number | null;
};

export const ENDPOINT_STATES = [
  'ok',
  'lagging',
  'throttled',
  'half_open',
  'open',
  'unverified',
  'wrong_chain',
] as const;
type EndpointState = (typeof ENDPOINT_STATES)[number];

export type EndpointHealth = {
  readonly index: number;
  readonly state: EndpointState;
  /** Slots behind the newest slot of any endpoint on our chain. */
  readonly lagSlots: bigint;
  readonly latencyMs: number | null;
};

/** Below this latency, endpoints count as equally fast. */
const FAST_MS = 50;

function stateOf(facts: EndpointFacts, isLagging: boolean): EndpointState {
  if (facts.chain === 'wrong') return 'wrong_chain';
  if (facts.chain === 'unverified') return 'unverified';
  if (facts.breaker !== 'closed') return facts.breaker;
  if (facts.isThrottled) return 'throttled';
  return isLagging ? 'lagging' : 'ok';
}

function newestSlotOf(all: readonly EndpointFacts[]): bigint {
  return all.reduce(
    (newest, { chain, slot }) =>
      chain === 'ours' && slot !== null && slot > newest ? slot : newest,
    0n,
  );
}

function lagOf({ slot }: EndpointFacts, newestSlot: bigint): bigint {
  return slot === null ? 0n : newestSlot - slot;
}

/** The health of each endpoint, in the order of their indexes. */
export function healthOf(
  all: readonly EndpointFacts[],
  maxLagSlots: bigint,
): readonly EndpointHealth[] {
  const newest = newestSlotOf(all);
  return all.map((facts) => {
    const lagSlots = lagOf(facts, newest);
    const { index, latencyMs } = facts;
    return { index, state: stateOf(facts, lagSlots > maxLagSlots), lagSlots, latencyMs };
  });
}

/** Speed in steps of two, so that small differences do not make readers hop between endpoints. */
function slowness({ latencyMs }: EndpointFacts): number {
  return latencyMs === null ? 0 : Math.ceil(Math.log2(Math.max(latencyMs, FAST_MS) / FAST_MS));
}

/**
 * Returns the indexes of the endpoints that may be read, best first: breaker closed, then not
 * throttled, then fast, then in the configured order. Those with an open breaker come last, for the
 * case that no other endpoint responds. An endpoint that lags is left out, even when those ahead of
 * it are down.
 */
export function readableIndexes(
  all: readonly EndpointFacts[],
  maxLagSlots: bigint,
): readonly number[] {
  const newest = newestSlotOf(all);
  return all
    .filter((facts) => facts.chain === 'ours' && lagOf(facts, newest) <= maxLagSlots)
    .toSorted(
      (a, b) =>
        Number(a.breaker !== 'closed') - Number(b.breaker !== 'closed') ||
        Number(a.isThrottled) - Number(b.isThrottled) ||
        slowness(a) - slowness(b) ||
        a.index - b.index,
    )
    .map(({ index }) => index);
}
