import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import WebSocket from 'ws';

import { fieldOf } from '../rpc/untrusted-json.ts';
import { listenForLandings } from './listen-for-landings.ts';

const timers = ['setInterval', 'clearInterval'] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...timers] }));
afterEach(() => void vi.useRealTimers());

/** A node that accepts subscriptions, and answers pings while it is not silent. */
async function startNode(node: { isSilent: boolean }) {
  const server = new WebSocket.Server({ host: '127.0.0.1', port: 0 });
  const pings: unknown[] = [];
  server.on('connection', (client) => {
    client.on('message', (data) => {
      if (typeof data !== 'string') return;
      const call: unknown = JSON.parse(data);
      const isPing = fieldOf(call, 'method') === 'ping';
      if (isPing) pings.push(call);
      if (node.isSilent) return;
      const reply = isPing ? { error: { code: -32_601 } } : { result: 7 };
      client.send(JSON.stringify({ jsonrpc: '2.0', id: fieldOf(call, 'id'), ...reply }));
    });
  });
  await once(server, 'listening');
  const address: AddressInfo | string = server.address();
  const port = typeof address === 'string' ? 0 : address.port;
  return {
    url: `ws://127.0.0.1:${port}`,
    pings,
    [Symbol.asyncDispose]: async () => {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

function listenTo(url: string) {
  const stop = new AbortController();
  const states: boolean[] = [];
  const ended = listenForLandings({
    url,
    programId: 'program',
    signal: stop.signal,
    onLive: (isLive) => void states.push(isLive),
    onLanding: () => undefined,
  });
  return { stop, states, ended };
}

it('a subscription ends when the node no longer answers', async () => {
  const state = { isSilent: false };
  await using node = await startNode(state);
  const { states, ended } = listenTo(node.url);
  await vi.waitFor(() => expect(states).toEqual([true]));
  state.isSilent = true;
  vi.advanceTimersByTime(30_000);
  await ended;
  expect(states).toEqual([true, false]);
});

it('a quiet subscription lives as long as the node answers', async () => {
  await using node = await startNode({ isSilent: false });
  const { stop, states, ended } = listenTo(node.url);
  await vi.waitFor(() => expect(states).toEqual([true]));
  for (let beat = 1; beat <= 6; beat += 1) {
    vi.advanceTimersByTime(10_000);
    await vi.waitFor(() => expect(node.pings).toHaveLength(beat));
    // The answer follows the ping on its way back.
    await new Promise(setImmediate);
  }
  expect(states).toEqual([true]);
  stop.abort();
  await ended;
});

it('a node that accepts no subscription in time is given up', async () => {
  await using node = await startNode({ isSilent: true });
  const { ended } = listenTo(node.url);
  vi.advanceTimersByTime(30_000);
  await expect(ended).rejects.toThrow('RPC_UNAVAILABLE');
});
