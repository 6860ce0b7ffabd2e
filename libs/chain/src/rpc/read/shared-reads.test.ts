import { AppError } from '@agent-wallet/errors';
import { describe, expect, it, vi } from 'vitest';

import { createBlockhashSource } from './blockhash-source.ts';
import { createSharedAccounts } from './shared-accounts.ts';
import type { AccountSnapshot, LatestBlockhash } from './chain-reads.ts';

const at = (slot: bigint): LatestBlockhash => ({
  blockhash: `hash${slot}`,
  lastValidBlockHeight: slot + 150n,
  slot,
});

const accountAt = (address: string): AccountSnapshot => ({
  address,
  owner: 'somebody',
  lamports: 1n,
  data: new Uint8Array(),
});

/** A node whose answers the test releases one by one. */
function nodeOnCall() {
  const calls: { readonly addresses: readonly string[]; readonly answer: () => void }[] = [];
  const read = createSharedAccounts({
    accounts: (addresses) =>
      new Promise((resolve) => {
        const slot = BigInt(calls.length + 1);
        const accounts = addresses.map((one) => (one === 'gone' ? null : accountAt(one)));
        calls.push({ addresses, answer: () => resolve({ slot, accounts }) });
      }),
  });
  return { calls, read };
}

describe('account reads', () => {
  it('that come together are one call, each address once, and each gets its own', async () => {
    const { calls, read } = nodeOnCall();
    const answers = Promise.all([read(['a']), read(['b', 'gone']), read(['a', 'b'])]);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(calls[0]?.addresses).toEqual(['a', 'b', 'gone']);
    calls[0]?.answer();
    expect(await answers).toEqual([
      { slot: 1n, accounts: [accountAt('a')] },
      { slot: 1n, accounts: [accountAt('b'), null] },
      { slot: 1n, accounts: [accountAt('a'), accountAt('b')] },
    ]);
  });

  it('are never answered by a call that began before, and wait for none that hangs', async () => {
    const { calls, read } = nodeOnCall();
    void read(['a']);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    const second = read(['a']);
    await vi.waitFor(() => expect(calls).toHaveLength(2));
    calls[1]?.answer();
    expect(await second).toEqual({ slot: 2n, accounts: [accountAt('a')] });
  });

  it('of more accounts than a call may have are spread over calls, each request over one', async () => {
    const { calls, read } = nodeOnCall();
    const answers = Array.from({ length: 34 }, (_, n) => read([`a${n}`, `b${n}`, `c${n}`]));
    await vi.waitFor(() => expect(calls).toHaveLength(2));
    for (const { answer } of calls) answer();
    await Promise.all(answers);
    expect(calls.map(({ addresses }) => addresses.length)).toEqual([99, 3]);
  });

  it('fail together, and the next read makes a new call', async () => {
    let down = true;
    const read = createSharedAccounts({
      async accounts(addresses) {
        if (down) throw new AppError('RPC_UNAVAILABLE');
        return { slot: 1n, accounts: addresses.map(() => null) };
      },
    });
    const outcomes = await Promise.allSettled([read(['a']), read(['b']), read(['c'])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    down = false;
    expect(await read(['a'])).toEqual({ slot: 1n, accounts: [null] });
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

  it('is renewed in the background while it is used, and not while it is not', async () => {
    let calls = 0;
    let nowMs = 0;
    const rpc = { latestBlockhash: async () => at(BigInt((calls += 1))) };
    await using source = createBlockhashSource({
      rpc,
      refreshMs: 2_000,
      maxAgeMs: 30_000,
      nowMs: () => nowMs,
    });
    expect(calls).toBe(0);
    await source.current();
    nowMs = 1_999;
    await source.current();
    expect(calls).toBe(1);
    nowMs = 2_000;
    expect((await source.current()).slot).toBe(1n);
    await vi.waitFor(async () => expect((await source.current()).slot).toBe(2n));
    expect(calls).toBe(2);
  });

  it('is kept for the first user where idle renewals are set', async () => {
    let nowMs = 0;
    let calls = 0;
    const rpc = { latestBlockhash: async () => at(BigInt((calls += 1))) };
    const idle = { ...options, refreshMs: 1, idleRefreshMs: 1 };
    const source = createBlockhashSource({ ...idle, rpc, nowMs: () => (nowMs += 1) });
    await vi.waitFor(() => expect(calls).toBeGreaterThan(1));
    await source[Symbol.asyncDispose]();
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
