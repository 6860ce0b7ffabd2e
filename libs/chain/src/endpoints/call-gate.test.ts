import { describe, expect, it } from 'vitest';

import {
  NodeDouble,
  poolOfTwo,
  poolOver,
  twoNodes,
  type Answer,
  unavailable,
  WIRE,
} from '../../fixtures/node-double.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { EndpointHealth } from './endpoint-health.ts';

const throttledFor = (retryAfter: string) => (): Answer => ({ http: 429, retryAfter });

describe('an endpoint that throttles', () => {
  it('is spared until its pause is over, and does not count as down', async () => {
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
