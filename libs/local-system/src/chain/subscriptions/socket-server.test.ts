/** The clients that people use, against a chain whose slots begin on command. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createSolanaRpcSubscriptions, signature as kitSignature } from '@solana/kit';
import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterEach, beforeEach, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createLatch } from '../../../../../tests/support/latch.ts';
import { type ChainEngine, createChainEngine, FINALIZED_SLOTS } from '../engine/chain-engine.ts';
import { parseTransaction } from '../engine/transactions/wire-transaction.ts';
import { createHttpServer } from '../server/http-server.ts';
import { listenOnLoopback } from '../server/listen.ts';
import { serveSubscriptions } from './socket-server.ts';

const LAMPORTS = 1_000_000_000;
const SYSTEM = SystemProgram.programId.toBase58();
const LEVELS = ['processed', 'confirmed', 'finalized'] as const;

type Running = {
  readonly chain: ChainEngine;
  readonly port: number;
  readonly payer: Keypair;
  close(): void;
};

let running: Running;

beforeEach(async () => {
  const chain = createChainEngine();
  const rpc = createHttpServer(chain);
  const sockets = createServer();
  const subscriptions = serveSubscriptions(chain, [rpc, sockets]);
  const port = await listenOnLoopback(rpc, sockets);
  const payer = Keypair.generate();
  chain.setAccount(payer.publicKey.toBase58(), {
    lamports: BigInt(10 * LAMPORTS),
    data: new Uint8Array(),
    owner: SYSTEM,
    executable: false,
    rentEpoch: 0n,
  });
  running = {
    chain,
    port,
    payer,
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
function payment(to: Keypair): { readonly wire: Uint8Array; readonly signature: string } {
  const { chain, payer } = running;
  const transaction = new Transaction({
    feePayer: payer.publicKey,
    blockhash: bs58.encode(chain.blockhash('processed').bytes),
    lastValidBlockHeight: 0,
  }).add(
    SystemProgram.transfer({
      fromPubkey: payer.publicKey,
      toPubkey: to.publicKey,
      lamports: LAMPORTS,
    }),
  );
  transaction.sign(payer);
  const wire = transaction.serialize();
  return { wire, signature: bs58.encode(wire.subarray(1, 65)) };
}

function land(wire: Uint8Array): void {
  const { kind } = running.chain.submit(parseTransaction(wire), { preflight: null });
  expect(kind).toBe('landed');
}

function advance(slots: number): void {
  for (let passed = 0; passed < slots; passed += 1) running.chain.advance();
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
  const { chain, port } = running;
  const socket = await connect(port);
  const { wire, signature } = payment(Keypair.generate());
  for (const [nth, commitment] of LEVELS.entries()) {
    const answer = await socket.ask('signatureSubscribe', [signature, { commitment }]);
    expect(answer).toEqual({ jsonrpc: '2.0', result: nth + 1, id: 1 });
  }
  const slot = chain.slot('processed');
  const shown = (subscription: number): Message => ({
    jsonrpc: '2.0',
    method: 'signatureNotification',
    params: { result: { context: { slot }, value: { err: null } }, subscription },
  });
  land(wire);
  expect(await socket.next()).toEqual(shown(1));
  advance(1);
  expect(await socket.next()).toEqual(shown(2));
  advance(FINALIZED_SLOTS - 1);
  expect(await socket.next()).toEqual(shown(3));
  advance(1);
  expect(await socket.ask('signatureUnsubscribe', [3])).toMatchObject({
    error: { code: -32_602 },
  });
});

test('a signature that has landed is shown at once, after the number of its subscription', async () => {
  const socket = await connect(running.port);
  const { wire, signature } = payment(Keypair.generate());
  land(wire);
  advance(1);
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
  land(payment(payee).wire);
  running.chain.advance();
  land(payment(payee).wire);
  running.chain.advance();
  for (const lamports of [LAMPORTS, 2 * LAMPORTS]) {
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
  const { chain, port, payer } = running;
  const connection = new Connection(`http://127.0.0.1:${port}`, 'confirmed');
  const payee = Keypair.generate();
  const slot = createLatch<number>('a slot');
  const logs = createLatch<string>('logs');
  const account = createLatch<number>('an account');
  connection.onSlotChange((info) => slot.open(info.slot));
  connection.onLogs(payer.publicKey, ({ signature }) => logs.open(signature), 'confirmed');
  connection.onAccountChange(payee.publicKey, ({ lamports }) => account.open(lamports), {
    commitment: 'confirmed',
  });
  const { wire, signature } = payment(payee);
  const everySlot = setInterval(() => chain.advance(), 20);
  try {
    await slot.wait();
    // The client sends its subscriptions together, so those of the account and the logs stand too.
    land(wire);
    expect(await account.wait()).toBe(LAMPORTS);
    expect(await logs.wait()).toBe(signature);
  } finally {
    clearInterval(everySlot);
  }
});

test('@solana/kit reads notifications', async () => {
  const { chain, port } = running;
  const subscriptions = createSolanaRpcSubscriptions(`ws://127.0.0.1:${port}`);
  const stop = new AbortController();
  const { wire, signature } = payment(Keypair.generate());
  const notifications = await subscriptions
    .signatureNotifications(kitSignature(signature), { commitment: 'confirmed' })
    .subscribe({ abortSignal: stop.signal });
  land(wire);
  chain.advance();
  for await (const { value } of notifications) {
    expect(value).toEqual({ err: null });
    break;
  }
  stop.abort();
});
