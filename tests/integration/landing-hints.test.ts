/** Hints from a node's WebSocket, on a chain whose slots begin on command. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { createLogger } from '@agent-wallet/process';
import { serveSubscriptions } from '@agent-wallet/local-system/chain/subscriptions/socket-server.ts';
import { Keypair, SystemProgram } from '@solana/web3.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLandingHints } from '../../apps/confirm-worker/src/watch/landing-hints.ts';
import { listenToNodes } from '../../apps/confirm-worker/src/watch/listen-to-nodes.ts';
import { createMetrics } from '../../apps/confirm-worker/src/metrics.ts';
import {
  createSteppedChain,
  SOL,
  type SteppedChain,
} from '../../libs/local-system/fixtures/stepped-chain.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROGRAM = SystemProgram.programId.toBase58();

let chain: SteppedChain;
let node: { readonly port: number; close(): void };
beforeEach(async () => {
  chain = createSteppedChain();
  node = await startNode(0);
});
afterEach(() => node.close());

async function startNode(port: number): Promise<typeof node> {
  const server = createServer();
  const subscriptions = serveSubscriptions(chain.engine, [server]);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port: portOf(server), close: () => (subscriptions.close(), server.close()) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Lands a payment and confirms it. */
function land(): unknown {
  const signature = chain.send(chain.wireOf([chain.pay(Keypair.generate().publicKey, SOL)]));
  chain.advance(1);
  return signature;
}

function listen(urls: readonly string[]) {
  const woken = { times: 0 };
  const hints = createLandingHints(createMetrics(), () => (woken.times += 1));
  const log = createLogger({ name: 'test', level: 'silent' });
  return { woken, hints, stack: listenToNodes({ urls, programId: PROGRAM, hints, log }) };
}

test('a node tells each landing of the program once it is confirmed, and again after it was away', async () => {
  const { woken, hints, stack } = listen([`ws://127.0.0.1:${node.port}`]);
  await using _ = stack;
  await waitUntil('a subscription', hints.areLive);
  const first = land();
  await waitUntil('a hint', () => woken.times > 0);
  expect(hints.take(10)).toEqual([first]);
  expect(hints.take(10)).toEqual([]);

  const { port } = node;
  node.close();
  await waitUntil('the end of the subscription', () => !hints.areLive());
  land();
  node = await startNode(port);
  await waitUntil('another subscription', hints.areLive);
  const second = land();
  await waitUntil('another hint', () => woken.times > 1);
  expect(hints.take(10)).toEqual([second]);
});

test('hints are live while one of several nodes tells landings', async () => {
  const away = createServer();
  away.listen(0, '127.0.0.1');
  await once(away, 'listening');
  const awayPort = portOf(away);
  away.close();
  const { woken, hints, stack } = listen([
    `ws://127.0.0.1:${awayPort}`,
    `ws://127.0.0.1:${node.port}`,
  ]);
  await using _ = stack;
  await waitUntil('a subscription', hints.areLive);
  land();
  await waitUntil('a hint', () => woken.times > 0);
  expect(hints.areLive()).toBe(true);
});
