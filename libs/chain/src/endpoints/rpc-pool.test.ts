import { AppError, isAppError } from '@agent-wallet/errors';
import { describe, expect, it, vi } from 'vitest';

import {
  cut,
  GENESIS,
  NodeDouble,
  poolOfTwo,
  poolOver,
  SIGNATURE,
  twoNodes,
  type Answer,
  unavailable,
  WIRE,
} from '../../fixtures/node-double.ts';

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
