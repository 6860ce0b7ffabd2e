import { AppError } from '@agent-wallet/errors';
import { describe, expect, it } from 'vitest';

import { createPriorityFees, type PriorityFees } from './priority-fees.ts';

const UNITS = 10_000;

type Node = { fees: readonly bigint[] | 'away'; readonly requests: (readonly string[])[] };

function pricesOver(node: Node, now = { ms: 0 }): PriorityFees {
  return createPriorityFees({
    rpc: {
      async recentPriorityFees(writable) {
        node.requests.push(writable);
        if (node.fees === 'away') throw new AppError('RPC_UNAVAILABLE');
        return node.fees;
      },
    },
    floor: 5n,
    capLamports: 10n,
    nowMs: () => now.ms,
  });
}

const nodeOf = (fees: Node['fees']): Node => ({ fees, requests: [] });
const hundred = Array.from({ length: 100 }, (_, i) => BigInt(100 - i));
const many = Array.from({ length: 130 }, (_, i) => `account ${i}`);

describe('the price of a compute unit', () => {
  it.each<[string, Node['fees'], bigint]>([
    ['the 75th percentile of what was paid', hundred, 75n],
    ['the floor when nobody paid', [], 5n],
    ['the floor when less was paid', [1n, 2n], 5n],
    ['the cap when more was paid', [999_999_999n], 1_000n],
    ['the floor when the node is away', 'away', 5n],
  ])('is %s', async (_case, fees, expected) => {
    const prices = pricesOver(nodeOf(fees));
    prices.priceFor(['a'], UNITS, 0);
    await prices.refresh();
    expect(prices.priceFor(['a'], UNITS, 0)).toBe(expected);
  });

  it('never exceeds the cap in lamports, whatever the compute unit limit', async () => {
    const prices = pricesOver(nodeOf([10n ** 15n]));
    prices.priceFor(['a'], UNITS, 0);
    await prices.refresh();
    for (const units of [1_000, 5_865, 400_000]) {
      for (const expired of [0, 1, 2]) {
        const price = prices.priceFor(['a'], units, expired);
        expect(price * BigInt(units)).toBeLessThanOrEqual(10n * 1_000_000n);
      }
    }
  });

  it.each<[string, bigint, readonly bigint[]]>([
    ['from a hundredth of the limit', 1n, [5n, 100n, 1_000n, 1_000n]],
    ['from what was paid, where that is more', 30n, [30n, 300n, 1_000n, 1_000n]],
    ['from the limit no further', 5_000n, [1_000n, 1_000n, 1_000n, 1_000n]],
  ])('rises tenfold with each attempt that expired, %s', async (_case, paid, expected) => {
    const prices = pricesOver(nodeOf([paid]));
    prices.priceFor(['a'], UNITS, 0);
    await prices.refresh();
    expect([0, 1, 2, 3].map((expired) => prices.priceFor(['a'], UNITS, expired))).toEqual(expected);
  });

  it('is the floor until it is read, and a spend requests nothing', () => {
    const node = nodeOf([50n]);
    expect(pricesOver(node).priceFor(['a'], UNITS, 0)).toBe(5n);
    expect(node.requests).toEqual([]);
  });

  it('is read for all accounts of the last minute together', async () => {
    const node = nodeOf([50n]);
    const now = { ms: 0 };
    const prices = pricesOver(node, now);
    prices.priceFor(['a', 'b'], UNITS, 0);
    now.ms = 30_000;
    prices.priceFor(['b', 'c'], UNITS, 0);
    await prices.refresh();
    now.ms = 60_001;
    await prices.refresh();
    expect(node.requests).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
  });

  it('is read for at most 128 accounts in one call', async () => {
    const node = nodeOf([50n]);
    const prices = pricesOver(node);
    prices.priceFor(many, UNITS, 0);
    await prices.refresh();
    expect(node.requests).toEqual([many.slice(0, 128), many.slice(128)]);
  });

  it('is that of the dearest account', async () => {
    const node = nodeOf([50n]);
    const prices = pricesOver(node);
    prices.priceFor(['dear'], UNITS, 0);
    await prices.refresh();
    expect(prices.priceFor(['cheap', 'dear'], UNITS, 0)).toBe(50n);
    expect(prices.priceFor(['cheap'], UNITS, 0)).toBe(5n);
  });

  it('stays the last known one while the node is down', async () => {
    const node = nodeOf([50n]);
    const prices = pricesOver(node);
    prices.priceFor(['a'], UNITS, 0);
    await prices.refresh();
    node.fees = 'away';
    await prices.refresh();
    expect(prices.priceFor(['a'], UNITS, 0)).toBe(50n);
  });
});
