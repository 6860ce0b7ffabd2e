import { AppError } from '@agent-wallet/errors';
import { describe, expect, it } from 'vitest';

import { createBalanceReader } from './balances.ts';
import { createBlockhashSource } from './blockhash-source.ts';
import type { AccountSnapshot, LatestBlockhash } from './chain-reads.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

function tokenAccount(address: string, amount: bigint): AccountSnapshot {
  const data = Buffer.alloc(165);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(1, 108);
  return { address, owner: TOKEN, lamports: 1n, data };
}

const at = (slot: bigint): LatestBlockhash => ({
  blockhash: `hash${slot}`,
  lastValidBlockHeight: slot + 150n,
  slot,
});

describe('balance reads', () => {
  it('that arrive together share one call, with each account once', async () => {
    const calls: (readonly string[])[] = [];
    const read = createBalanceReader({
      windowMs: 5,
      rpc: {
        async accounts(addresses) {
          calls.push(addresses);
          const accounts = addresses.map((a) => (a === 'gone' ? null : tokenAccount(a, 42n)));
          return { slot: 9n, accounts };
        },
      },
    });
    const balances = await Promise.all([read('a'), read('b'), read('a'), read('gone')]);
    expect(calls).toEqual([['a', 'b', 'gone']]);
    expect(balances.map(({ amount }) => amount)).toEqual([42n, 42n, 42n, 0n]);
    expect(balances.every(({ slot }) => slot === 9n)).toBe(true);
    await read('a');
    expect(calls).toHaveLength(2);
  });

  it('fail together, and the next read makes a new call', async () => {
    let down = true;
    const read = createBalanceReader({
      windowMs: 1,
      rpc: {
        async accounts(addresses) {
          if (down) throw new AppError('RPC_UNAVAILABLE');
          return { slot: 1n, accounts: addresses.map(() => null) };
        },
      },
    });
    const outcomes = await Promise.allSettled([read('a'), read('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    down = false;
    expect(await read('a')).toEqual({ amount: 0n, slot: 1n });
  });
});

describe('the shared blockhash', () => {
  const options = { refreshMs: 60_000, maxAgeMs: 30_000 };

  it('is requested once for concurrent callers, and again only when it is too old', async () => {
    let calls = 0;
    let nowMs = 0;
    const rpc = { latestBlockhash: async () => at(BigInt((calls += 1))) };
    await using source = createBlockhashSource({ ...options, rpc, nowMs: () => nowMs });
    const first = await Promise.all([source.current(), source.current()]);
    expect(first.map(({ slot }) => slot)).toEqual([1n, 1n]);
    nowMs = 30_000;
    expect((await source.current()).slot).toBe(1n);
    nowMs = 30_001;
    expect((await source.current()).slot).toBe(2n);
  });

  it('is not returned when it is too old and the node is down', async () => {
    let nowMs = 0;
    let down = false;
    const rpc = {
      async latestBlockhash() {
        if (down) throw new AppError('RPC_UNAVAILABLE');
        return at(1n);
      },
    };
    await using source = createBlockhashSource({ ...options, rpc, nowMs: () => nowMs });
    await source.current();
    down = true;
    nowMs = 30_001;
    await expect(source.current()).rejects.toThrow('RPC_UNAVAILABLE');
  });

  it('is never replaced by one of an older slot', async () => {
    const slots = [5n, 4n];
    let nowMs = 0;
    const rpc = { latestBlockhash: async () => at(slots.shift() ?? 4n) };
    await using source = createBlockhashSource({ ...options, rpc, nowMs: () => nowMs });
    expect((await source.current()).slot).toBe(5n);
    nowMs = 30_001;
    await expect(source.current()).rejects.toThrow('RPC_UNAVAILABLE');
  });
});
