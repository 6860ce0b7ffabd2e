import { afterEach, describe, expect, it, vi } from 'vitest';

import {
  cut,
  NodeDouble,
  poolOver,
  twoNodes,
  unavailable,
  WIRE,
} from '../../fixtures/node-double.ts';
import type { EndpointHealth } from './endpoint-health.ts';

afterEach(() => void vi.useRealTimers());

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
