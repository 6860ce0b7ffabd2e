/** The clients that people use, against a chain whose slots begin on command. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createSolanaRpcSubscriptions, signature as kitSignature } from '@solana/kit';
import { Connection, Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterEach, beforeEach, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createLatch } from '../../../../../tests/support/latch.ts';
import { createSteppedChain, SOL, type SteppedChain } from '../../../fixtures/stepped-chain.ts';
import { FINALIZED_SLOTS } from '../engine/chain-engine.ts';
import { createHttpServer } from '../server/http-server.ts';
import { listenOnLoopback } from '../server/listen.ts';
import { serveSubscriptions } from './socket-server.ts';

const LEVELS = ['processed', 'confirmed', 'finalized'] as const;

let chain: SteppedChain;
let running: { readonly port: number; close(): void };

beforeEach(async () => {
  chain = createSteppedChain();
  const rpc = createHttpServer(chain.engine);
  const sockets = createServer();
  const subscriptions = serveSubscriptions(chain.engine, [rpc, sockets]);
  const port = await listenOnLoopback(rpc, sockets);
  running = {
    port,
    close: () => {
      subscriptions.close();
      rpc.closeAllConnections();
      rpc.close();
      sockets.close();
    },
  };
});
afterEach(() => running.close());

/** Signed bytes of a payment, and its signature. */
function payment({ publicKey }: Keypair): {
  readonly wire: Uint8Array;
  readonly signature: string;
} {
  const wire = chain.wireOf([chain.pay(publicKey, SOL)]);
  return { wire, signature: bs58.encode(wire.subarray(1, 65)) };
}

type Message = { readonly [key: string]: unknown };

/** A bare connection, which shows every message in its order. */
async function connect(port: number): Promise<{
  ask(method: string, params: unknown): Promise<Message>;
  send(text: string): void;
  next(): Promise<Message>;
}> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const messages: Message[] = [];
  let arrived = createLatch('a message');
  socket.on('message', (data) => {
    if (typeof data === 'string') messages.push(JSON.parse(data));
    arrived.open();
  });
  await once(socket, 'open');
  async function next(): Promise<Message> {
    for (;;) {
      const message = messages.shift();
      if (message !== undefined) return message;
      arrived = createLatch('a message');
      await arrived.wait();
    }
  }
  return {
    next,
    send: (text) => socket.send(text),
    ask: async (method, params) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      return next();
    },
  };
}

test('a signature is shown at each level when its slot gets there, and once', async () => {
  const { port } = running;
  const socket = await connect(port);
  const { wire, signature } = payment(Keypair.generate());
  for (const [nth, commitment] of LEVELS.entries()) {
    const answer = await socket.ask('signatureSubscribe', [signature, { commitment }]);
    expect(answer).toEqual({ jsonrpc: '2.0', result: nth + 1, id: 1 });
  }
  const slot = chain.engine.slot('processed');
  const shown = (subscription: number): Message => ({
    jsonrpc: '2.0',
    method: 'signatureNotification',
    params: { result: { context: { slot }, value: { err: null } }, subscription },
  });
  chain.send(wire);
  expect(await socket.next()).toEqual(shown(1));
  chain.advance(1);
  expect(await socket.next()).toEqual(shown(2));
  chain.advance(FINALIZED_SLOTS - 1);
  expect(await socket.next()).toEqual(shown(3));
  chain.advance(1);
  expect(await socket.ask('signatureUnsubscribe', [3])).toMatchObject({
    error: { code: -32_602 },
  });
});

test('a signature that has landed is shown at once, after the number of its subscription', async () => {
  const socket = await connect(running.port);
  const { wire, signature } = payment(Keypair.generate());
  chain.send(wire);
  chain.advance(1);
  const params = [signature, { commitment: 'confirmed' }];
  expect(await socket.ask('signatureSubscribe', params)).toMatchObject({ result: 1 });
  expect(await socket.next()).toMatchObject({ params: { subscription: 1 } });
});

test('an account is shown once a slot above processed, and an ended subscription shows nothing', async () => {
  const socket = await connect(running.port);
  const payee = Keypair.generate();
  const address = payee.publicKey.toBase58();
  const params = [address, { encoding: 'base64', commitment: 'confirmed' }];
  await socket.ask('accountSubscribe', params);
  await socket.ask('accountSubscribe', params);
  expect(await socket.ask('accountUnsubscribe', [1])).toMatchObject({ result: true });
  chain.send(payment(payee).wire);
  chain.advance(1);
  chain.send(payment(payee).wire);
  chain.advance(1);
  for (const lamports of [SOL, 2 * SOL]) {
    expect(await socket.next()).toMatchObject({
      params: { subscription: 2, result: { value: { lamports } } },
    });
  }
});

test('pings, which have no id, are not answered; what is no call is', async () => {
  const socket = await connect(running.port);
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'ping' }));
  expect(await socket.ask('nothingSubscribe', [])).toMatchObject({ error: { code: -32_601 } });
  socket.send('{');
  expect(await socket.next()).toMatchObject({ error: { code: -32_700 }, id: null });
});

test('@solana/web3.js finds the subscriptions on the next port', async () => {
  const { port } = running;
  const connection = new Connection(`http://127.0.0.1:${port}`, 'confirmed');
  const payee = Keypair.generate();
  const slot = createLatch<number>('a slot');
  const logs = createLatch<string>('logs');
  const account = createLatch<number>('an account');
  connection.onSlotChange((info) => slot.open(info.slot));
  connection.onLogs(chain.payer.publicKey, ({ signature }) => logs.open(signature), 'confirmed');
  connection.onAccountChange(payee.publicKey, ({ lamports }) => account.open(lamports), {
    commitment: 'confirmed',
  });
  const { wire, signature } = payment(payee);
  const everySlot = setInterval(() => chain.advance(1), 20);
  try {
    await slot.wait();
    // The client sends its subscriptions together, so those of the account and the logs stand too.
    chain.send(wire);
    expect(await account.wait()).toBe(SOL);
    expect(await logs.wait()).toBe(signature);
  } finally {
    clearInterval(everySlot);
  }
});

test('@solana/kit reads notifications', async () => {
  const { port } = running;
  const subscriptions = createSolanaRpcSubscriptions(`ws://127.0.0.1:${port}`);
  const stop = new AbortController();
  const { wire, signature } = payment(Keypair.generate());
  const notifications = await subscriptions
    .signatureNotifications(kitSignature(signature), { commitment: 'confirmed' })
    .subscribe({ abortSignal: stop.signal });
  chain.send(wire);
  chain.advance(1);
  for await (const { value } of notifications) {
    expect(value).toEqual({ err: null });
    break;
  }
  stop.abort();
});
