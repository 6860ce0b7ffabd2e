import { AppError } from '@agent-wallet/errors';
import { describe, expect, it } from 'vitest';

import { createPriorityFees, type PriorityFees } from './priority-fees.ts';

const UNITS = 10_000;
const WAIT_MS = 40;

type Node = { fees: readonly bigint[] | 'away' | 'silent'; requested: number };

function pricesOver(node: Node, now = { ms: 0 }): PriorityFees {
  return createPriorityFees({
    rpc: {
      async recentPriorityFees() {
        node.requested += 1;
        if (node.fees === 'silent') return new Promise(() => undefined);
        if (node.fees === 'away') throw new AppError('RPC_UNAVAILABLE');
        return node.fees;
      },
    },
    floor: 5n,
    capLamports: 10n,
    freshMs: 5_000,
    waitMs: WAIT_MS,
    nowMs: () => now.ms,
  });
}

const hundred = Array.from({ length: 100 }, (_, i) => BigInt(100 - i));

describe('the price of a compute unit', () => {
  it.each<[string, Node['fees'], bigint]>([
    ['the 75th percentile of what was paid', hundred, 75n],
    ['the floor when nobody paid', [], 5n],
    ['the floor when less was paid', [1n, 2n], 5n],
    ['the cap when more was paid', [999_999_999n], 1_000n],
    ['the floor when the node is away', 'away', 5n],
    ['the floor when the node does not answer in time', 'silent', 5n],
  ])('is %s', async (_case, fees, expected) => {
    expect(await pricesOver({ fees, requested: 0 }).priceFor(['a'], UNITS)).toBe(expected);
  });

  it('never exceeds the cap in lamports, whatever the compute unit limit', async () => {
    const prices = pricesOver({ fees: [10n ** 15n], requested: 0 });
    for (const units of [1_000, 5_865, 400_000]) {
      const price = await prices.priceFor(['a'], units);
      expect(price * BigInt(units)).toBeLessThanOrEqual(10n * 1_000_000n);
    }
  });

  it('is requested once for concurrent spends, and again when it is old', async () => {
    const node: Node = { fees: [50n], requested: 0 };
    const now = { ms: 0 };
    const prices = pricesOver(node, now);
    await Promise.all([prices.priceFor(['a'], UNITS), prices.priceFor(['a'], UNITS)]);
    await prices.priceFor(['a'], UNITS);
    expect(node.requested).toBe(1);
    await prices.priceFor(['b'], UNITS);
    expect(node.requested).toBe(2);
    now.ms = 5_001;
    await prices.priceFor(['a'], UNITS);
    expect(node.requested).toBe(3);
  });

  it.each<[string, readonly bigint[], bigint]>([
    ['a price', [50n], 50n],
    ['that nobody paid', [], 5n],
  ])('does not delay a spend once %s is known', async (_case, fees, expected) => {
    const node: Node = { fees, requested: 0 };
    const now = { ms: 0 };
    const prices = pricesOver(node, now);
    await prices.priceFor(['a'], UNITS);
    node.fees = 'silent';
    now.ms = 5_001;
    const startedAtMs = performance.now();
    expect(await prices.priceFor(['a'], UNITS)).toBe(expected);
    expect(performance.now() - startedAtMs).toBeLessThan(WAIT_MS);
    expect(node.requested).toBe(2);
  });

  it('stays the last known one while the node is down', async () => {
    const node: Node = { fees: [50n], requested: 0 };
    const now = { ms: 0 };
    const prices = pricesOver(node, now);
    expect(await prices.priceFor(['a'], UNITS)).toBe(50n);
    node.fees = 'away';
    now.ms = 60_000;
    expect(await prices.priceFor(['a'], UNITS)).toBe(50n);
    expect(node.requested).toBe(2);
  });
});
