import { AppError, isAppError } from '@agent-wallet/errors';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { EndpointHealth } from './endpoint-health.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { openRpcPool, type RpcPool, type RpcPoolOptions } from './rpc-pool.ts';

const GENESIS = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';
const WIRE = new Uint8Array(4);
const SIGNATURE = '5'.repeat(88);

type Answer =
  | { readonly result: unknown }
  | { readonly error: object }
  | { readonly http: number; readonly retryAfter?: string; readonly text?: string };

/** A node that tests can make unavailable, throttled, broken, slow or late. */
class NodeDouble {
  readonly calls: string[] = [];
  slot = 1_000;
  genesis = GENESIS;
  answer: ((method: string) => Answer | undefined) | undefined;

  readonly #own = (method: string): Answer => {
    switch (method) {
      case 'getGenesisHash':
        return { result: this.genesis };
      case 'getSlot':
        return { result: this.slot };
      case 'getBlockHeight':
        return { result: this.slot - 10 };
      case 'sendTransaction':
        return { result: SIGNATURE };
      default:
        throw new Error(`the node double does not know ${method}`);
    }
  };

  readonly respond = (body: unknown): Response => {
    const { id, method }: { id: unknown; method: string } = JSON.parse(String(body));
    this.calls.push(method);
    const answer = this.answer?.(method) ?? this.#own(method);
    if ('http' in answer) {
      const { http: status, retryAfter, text = 'busy' } = answer;
      const waits = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      return new Response(text, { status, headers: waits });
    }
    const headers = { 'content-type': 'application/json' };
    return new Response(JSON.stringify({ jsonrpc: '2.0', id, ...answer }), { headers });
  };

  readonly requested = (method: string): number =>
    this.calls.filter((called) => called === method).length;
}

const pools: RpcPool[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(pools.splice(0).map((pool) => pool[Symbol.asyncDispose]()));
});

async function poolOver(
  nodes: readonly NodeDouble[],
  options: Partial<RpcPoolOptions> = {},
): Promise<RpcPool> {
  const pool = await openRpcPool({
    urls: nodes.map((_, index) => `http://node-${index}.example`),
    timeoutMs: 1_000,
    checkEveryMs: 60_000,
    fetch: async (input, init) => {
      const { hostname } = new URL(input instanceof Request ? input.url : input);
      const node = nodes[Number(hostname.replaceAll(/\D/g, ''))];
      if (node === undefined) throw new Error(`no node at ${hostname}`);
      return node.respond(init?.body);
    },
    ...options,
  });
  pools.push(pool);
  return pool;
}

const twoNodes = (): [NodeDouble, NodeDouble] => [new NodeDouble(), new NodeDouble()];
const poolOfTwo = async () => {
  const [first, second] = twoNodes();
  return { first, second, pool: await poolOver([first, second]) };
};
const cut = (): never => {
  throw new TypeError('fetch failed');
};
const throttledFor = (retryAfter: string) => (): Answer => ({ http: 429, retryAfter });
const unavailable = (error: unknown): boolean => isAppError(error, 'RPC_UNAVAILABLE');

describe('a read of several endpoints', () => {
  it.each<[string, () => Answer]>([
    ['cannot be reached', cut],
    ['is throttled', () => ({ http: 429 })],
    ['is broken', () => ({ http: 503 })],
    ['is throttled in the body', () => ({ error: { code: 429, message: 'slow down' } })],
    ['answers garbage', () => ({ result: { no: 'slot' } })],
    ['says that it is unhealthy', () => ({ error: { code: -32_005, message: 'behind' } })],
    ['is before the requested slot', () => ({ error: { code: -32_016, message: 'min slot' } })],
  ])('fails over to the next one when the first %s', async (_case, answer) => {
    const { first, second, pool } = await poolOfTwo();
    first.answer = answer;
    second.slot = 1_001;
    expect(await pool.rpc.slot('confirmed')).toBe(1_001n);
  });

  it('does not fail over when the first returned an error of the node', async () => {
    const { first, second, pool } = await poolOfTwo();
    first.answer = () => ({ error: { code: -32_602, message: 'invalid params' } });
    const before = second.requested('getSlot');
    await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    expect(second.requested('getSlot')).toBe(before);
  });

  it('fails over once, not through all of them', async () => {
    const nodes = [new NodeDouble(), new NodeDouble(), new NodeDouble()];
    const pool = await poolOver(nodes);
    for (const node of nodes) node.answer = cut;
    await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    expect(nodes.map((node) => node.requested('getSlot'))).toEqual([2, 2, 1]);
  });

  it('starts again on the second one, so that replies are never mixed', async () => {
    const { first, second, pool } = await poolOfTwo();
    const requested: number[] = [];
    const slots = await pool.read(async (rpc, index) => {
      requested.push(index);
      const before = await rpc.slot('confirmed');
      first.answer = cut;
      second.slot = 2_000;
      return [before, await rpc.slot('confirmed')];
    });
    expect(requested).toEqual([0, 1]);
    expect(slots).toEqual([2_000n, 2_000n]);
  });
});

describe('a send over several endpoints', () => {
  it('is made once, on one endpoint, whatever the reply', async () => {
    const { first, second, pool } = await poolOfTwo();
    first.answer = (method) => (method === 'sendTransaction' ? cut() : undefined);
    await expect(pool.rpc.sendRaw(WIRE, { skipPreflight: false })).rejects.toSatisfy(unavailable);
    expect([first.requested('sendTransaction'), second.requested('sendTransaction')]).toEqual([
      1, 0,
    ]);
  });

  it('goes to an endpoint that is known to have seen the slot that it needs', async () => {
    const { first, second, pool } = await poolOfTwo();
    const { rpc } = pool.readable()[1] ?? pool;
    second.answer = (method) => {
      const value = { blockhash: GENESIS, lastValidBlockHeight: 1 };
      return method === 'getLatestBlockhash'
        ? { result: { context: { slot: 1_007 }, value } }
        : undefined;
    };
    await rpc.latestBlockhash();
    await pool.rpc.sendRaw(WIRE, { skipPreflight: false, minContextSlot: 1_007n });
    await pool.rpc.sendRaw(WIRE, { skipPreflight: false, minContextSlot: 1_008n });
    expect([first, second].map((node) => node.requested('sendTransaction'))).toEqual([1, 1]);
  });

  it('goes to all endpoints when it repeats bytes, and one acceptance is enough', async () => {
    const { first, second, pool } = await poolOfTwo();
    first.answer = (method) => (method === 'sendTransaction' ? cut() : undefined);
    const reply = await pool.sendToAll(WIRE, { skipPreflight: true });
    expect(reply).toEqual({ ok: true, result: SIGNATURE });
    expect([first.requested('sendTransaction'), second.requested('sendTransaction')]).toEqual([
      1, 1,
    ]);
  });
});

describe('the breaker of an endpoint', () => {
  it('opens after consecutive faults, tries again after a pause and closes on a reply', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const node = new NodeDouble();
    const pool = await poolOver([node], { faultsToOpen: 3 });
    node.answer = cut;
    for (let call = 0; call < 5; call += 1) {
      await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    }
    expect(node.requested('getSlot')).toBe(3);
    vi.advanceTimersByTime(60_000);
    await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    expect(node.requested('getSlot')).toBe(4);
    node.answer = undefined;
    await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    vi.advanceTimersByTime(60_000);
    expect(await pool.rpc.slot('confirmed')).toBe(1_000n);
    expect(await pool.rpc.slot('confirmed')).toBe(1_000n);
  });

  it('does not open for errors of the node', async () => {
    const node = new NodeDouble();
    const pool = await poolOver([node], { faultsToOpen: 2 });
    node.answer = () => ({ error: { code: -32_602, message: 'invalid params' } });
    for (let call = 0; call < 6; call += 1) {
      await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    }
    expect(node.requested('getSlot')).toBe(6);
  });

  it('counts consecutive faults only: an error of the node resets the count', async () => {
    const node = new NodeDouble();
    const pool = await poolOver([node], { faultsToOpen: 2 });
    const answers = [cut, () => ({ error: { code: -32_602, message: 'invalid params' } })];
    for (let call = 0; call < 8; call += 1) {
      node.answer = answers[call % 2];
      await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    }
    expect(node.requested('getSlot')).toBe(8);
  });

  it('ignores calls that were not sent, so that they neither open it nor hide faults', async () => {
    const node = new NodeDouble();
    const outcomes: string[] = [];
    const onCall = (_method: string, outcome: string): void => void outcomes.push(outcome);
    const limits = { callsPerS: undefined, callsPerMethodPerS: 1 };
    const pool = await poolOver([node], { faultsToOpen: 2, limits, timeoutMs: 200, onCall });
    node.answer = cut;
    const send = () => pool.rpc.sendRaw(WIRE, { skipPreflight: true });
    for (const call of [send, send, () => pool.rpc.slot('confirmed')]) {
      await expect(call()).rejects.toSatisfy(unavailable);
    }
    expect(outcomes).toEqual(['ok', 'error', 'paused', 'error']);
    await expect(pool.rpc.latestBlockhash()).rejects.toSatisfy(unavailable);
    expect(node.requested('getLatestBlockhash')).toBe(0);
  });

  it('rejects other calls at once while one call tries, so that no call waits for another', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const node = new NodeDouble();
    const pool = await poolOver([node], { faultsToOpen: 1 });
    node.answer = cut;
    await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    vi.advanceTimersByTime(60_000);
    node.answer = undefined;
    const trying = pool.rpc.slot('confirmed');
    await expect(pool.rpc.sendRaw(WIRE, { skipPreflight: false })).rejects.toSatisfy(unavailable);
    expect(await trying).toBe(1_000n);
    expect(node.requested('sendTransaction')).toBe(0);
  });

  it('lets reads and sends go to another endpoint while it is open', async () => {
    const [first, second] = twoNodes();
    const told: EndpointHealth[] = [];
    const onHealth = (health: EndpointHealth): void => void told.push(health);
    const pool = await poolOver([first, second], { faultsToOpen: 1, onHealth });
    first.answer = cut;
    await pool.rpc.slot('confirmed');
    const before = first.calls.length;
    await pool.rpc.slot('confirmed');
    await pool.rpc.sendRaw(WIRE, { skipPreflight: false });
    expect(first.calls).toHaveLength(before);
    expect(second.requested('sendTransaction')).toBe(1);
    expect(told.findLast(({ index }) => index === 0)?.state).toBe('open');
  });
});

describe('an endpoint that throttles', () => {
  it('is spared until its pause is over, and counts as well', async () => {
    const [first, second] = twoNodes();
    const told: EndpointHealth[] = [];
    const onHealth = (health: EndpointHealth): void => void told.push(health);
    const pool = await poolOver([first, second], { faultsToOpen: 1, onHealth });
    first.answer = throttledFor('30');
    const before = first.requested('getSlot');
    for (let call = 0; call < 3; call += 1) await pool.rpc.slot('confirmed');
    expect(first.requested('getSlot')).toBe(before + 1);
    expect(told.findLast(({ index }) => index === 0)?.state).toBe('throttled');
  });

  it('is asked again after its pause when it is the only one, within the time of the call', async () => {
    const node = new NodeDouble();
    const told: EndpointHealth[] = [];
    const pool = await poolOver([node], { onHealth: (health) => void told.push(health) });
    node.answer = () =>
      node.requested('getSlot') === 1 ? { http: 429, retryAfter: '0' } : undefined;
    expect(await pool.rpc.slot('confirmed')).toBe(1_000n);
    expect(node.requested('getSlot')).toBe(2);
    expect(told.map(({ state }) => state)).toEqual(['ok', 'throttled', 'ok']);
  });

  it('gets no calls, which fail with the reason, when its pause is longer than their time', async () => {
    const node = new NodeDouble();
    const outcomes: string[] = [];
    const onCall = (_method: string, outcome: string): void => void outcomes.push(outcome);
    const pool = await poolOver([node], { faultsToOpen: 1, onCall });
    node.answer = throttledFor('30');
    for (let call = 0; call < 3; call += 1) {
      await expect(pool.rpc.slot('confirmed')).rejects.toMatchObject({
        code: 'RPC_UNAVAILABLE',
        context: {
          reason: expect.stringContaining('rate limited'),
          retryAfterMs: expect.anything(),
        },
      });
    }
    expect(node.requested('getSlot')).toBe(1);
    expect(outcomes).toEqual(['ok', 'throttled', 'paused', 'paused']);
  });

  it('is not called when the turn under our own limit leaves the call too little time', async () => {
    const node = new NodeDouble();
    const limits = { callsPerS: 1, callsPerMethodPerS: undefined };
    const pool = await poolOver([node], { limits, timeoutMs: 1_050 });
    await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    expect(node.requested('getSlot')).toBe(0);
  });

  it('is waited for when only a third one is free, which a read would not reach', async () => {
    const nodes = [new NodeDouble(), new NodeDouble(), new NodeDouble()];
    const pool = await poolOver(nodes);
    const text = 'Too many requests for a specific RPC call';
    const pause = async (
      index: number,
      retryAfter: string,
      call: (rpc: Rpc) => Promise<unknown>,
    ) => {
      const one = pool.readable().find((endpoint) => endpoint.index === index);
      const node = nodes[index];
      if (one === undefined || node === undefined) throw new Error('no such endpoint');
      node.answer = () => ({ http: 429, retryAfter, text });
      await expect(call(one.rpc)).rejects.toSatisfy(unavailable);
      node.answer = undefined;
    };
    await pause(1, '0.3', (rpc) => rpc.slot('confirmed'));
    await pause(0, '30', (rpc) => rpc.slot('confirmed'));
    await pause(2, '30', (rpc) => rpc.genesisHash());
    expect(await pool.rpc.slot('confirmed')).toBe(1_000n);
  });

  it('is spared a whole method that another endpoint takes, and keeps the other methods', async () => {
    const { first, second, pool } = await poolOfTwo();
    const text = JSON.stringify({
      error: { message: 'Too many requests for a specific RPC call' },
    });
    first.answer = (method) =>
      method === 'getSlot' ? { http: 429, retryAfter: '30', text } : undefined;
    await pool.rpc.slot('confirmed');
    const before = [first, second].map((node) => node.requested('getSlot'));
    await pool.rpc.slot('confirmed');
    expect([first, second].map((node) => node.requested('getSlot'))).toEqual([
      before[0],
      Number(before[1]) + 1,
    ]);
    first.answer = undefined;
    const [own] = pool.readable().filter(({ index }) => index === 0);
    await own?.rpc.genesisHash();
    expect(first.requested('getGenesisHash')).toBe(2);
  });

  it('refuses a send without another try, and the next send goes elsewhere', async () => {
    const { first, second, pool } = await poolOfTwo();
    first.answer = throttledFor('0');
    await expect(pool.rpc.sendRaw(WIRE, { skipPreflight: false })).rejects.toSatisfy(unavailable);
    expect(second.requested('sendTransaction')).toBe(0);
    await pool.rpc.sendRaw(WIRE, { skipPreflight: false });
    expect([first, second].map((node) => node.requested('sendTransaction'))).toEqual([1, 1]);
  });

  it('is spared also when it says so in the body', async () => {
    const node = new NodeDouble();
    const pool = await poolOver([node], { timeoutMs: 300 });
    node.answer = () => ({ error: { code: -32_429, message: 'rate limited' } });
    await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    await expect(pool.rpc.sendRaw(WIRE, { skipPreflight: false })).rejects.toSatisfy(unavailable);
    expect(node.requested('getSlot')).toBe(1);
    expect(node.requested('sendTransaction')).toBe(0);
  });
});

describe('an endpoint that lags', () => {
  it('is not read, even when the endpoint ahead is down', async () => {
    const [first, second] = twoNodes();
    first.slot = 500;
    const pool = await poolOver([first, second]);
    expect(pool.readable().map(({ index }) => index)).toEqual([1]);
    second.answer = cut;
    await expect(pool.rpc.slot('confirmed')).rejects.toSatisfy(unavailable);
    expect(first.requested('getSlot')).toBe(1);
  });

  it('is read again once a check finds that it has caught up', async () => {
    const [first, second] = twoNodes();
    first.slot = 500;
    const pool = await poolOver([first, second], { checkEveryMs: 5 });
    first.slot = 999;
    await vi.waitFor(() => expect(pool.readable()).toHaveLength(2));
  });

  it('still receives re-sent bytes', async () => {
    const [first, second] = twoNodes();
    first.slot = 500;
    const pool = await poolOver([first, second]);
    await pool.sendToAll(WIRE, { skipPreflight: true });
    expect(first.requested('sendTransaction')).toBe(1);
  });
});

describe('the chain of the endpoints', () => {
  it('must be the same', async () => {
    const [first, second] = twoNodes();
    second.genesis = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
    await expect(poolOver([first, second])).rejects.toSatisfy((error) =>
      isAppError(error, 'CHAIN_MISMATCH'),
    );
  });

  it('is unknown when no endpoint responds', async () => {
    const node = new NodeDouble();
    node.answer = cut;
    await expect(poolOver([node])).rejects.toBeInstanceOf(AppError);
  });

  it.each<[string, string, number]>([
    ['ours, it is used', GENESIS, 2],
    ['another, it stays out', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 1],
  ])('of one that was down at the start is read later: %s', async (_case, genesis, used) => {
    const [first, second] = twoNodes();
    second.answer = cut;
    second.genesis = genesis;
    const pool = await poolOver([first, second], { checkEveryMs: 5, faultsToOpen: 1_000 });
    expect(pool.genesisHash).toBe(GENESIS);
    expect(pool.readable()).toHaveLength(1);
    second.answer = undefined;
    const before = second.requested('getGenesisHash');
    await vi.waitFor(() => expect(second.requested('getGenesisHash')).toBeGreaterThan(before));
    await vi.waitFor(() => expect(pool.readable()).toHaveLength(used));
    await pool.sendToAll(WIRE, { skipPreflight: true });
    expect(second.requested('sendTransaction')).toBe(used - 1);
  });
});
