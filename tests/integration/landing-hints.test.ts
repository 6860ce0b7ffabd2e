/** Hints from a node's WebSocket, on a chain whose slots begin on command. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { createLogger } from '@agent-wallet/process';
import {
  type ChainEngine,
  createChainEngine,
} from '@agent-wallet/local-system/chain/engine/chain-engine.ts';
import { parseTransaction } from '@agent-wallet/local-system/chain/engine/transactions/wire-transaction.ts';
import { serveSubscriptions } from '@agent-wallet/local-system/chain/subscriptions/socket-server.ts';
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLandingHints } from '../../apps/confirm-worker/src/watch/landing-hints.ts';
import { listenToNodes } from '../../apps/confirm-worker/src/watch/listen-to-nodes.ts';
import { createMetrics } from '../../apps/confirm-worker/src/metrics.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROGRAM = SystemProgram.programId.toBase58();
const SOL = 1_000_000_000;

let chain: ChainEngine;
let payer: Keypair;
let node: { readonly port: number; close(): void };
beforeEach(async () => {
  chain = createChainEngine();
  payer = Keypair.generate();
  chain.setAccount(payer.publicKey.toBase58(), {
    lamports: BigInt(10 * SOL),
    data: new Uint8Array(),
    owner: PROGRAM,
    executable: false,
    rentEpoch: 0n,
  });
  node = await startNode(0);
});
afterEach(() => node.close());

async function startNode(port: number): Promise<typeof node> {
  const server = createServer();
  const subscriptions = serveSubscriptions(chain, [server]);
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
function land(): string {
  const lamports = SOL;
  const transaction = new Transaction({
    feePayer: payer.publicKey,
    blockhash: bs58.encode(chain.blockhash('processed').bytes),
    lastValidBlockHeight: 0,
  }).add(
    SystemProgram.transfer({
      fromPubkey: payer.publicKey,
      toPubkey: Keypair.generate().publicKey,
      lamports,
    }),
  );
  transaction.sign(payer);
  const wire = transaction.serialize();
  chain.submit(parseTransaction(wire), { preflight: null });
  chain.advance();
  return bs58.encode(wire.subarray(1, 65));
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
