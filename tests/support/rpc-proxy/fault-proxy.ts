import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { socketUrlOf } from '@agent-wallet/chain';
import { listenOnLoopback } from '@agent-wallet/local-system/chain/server/listen.ts';
import { z } from 'zod';
import { relaySockets } from './relay-sockets.ts';

const call = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
});

/** One JSON-RPC call. */
export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

/** The chain's reply to one call, as parsed JSON. */
export type RpcAnswer = Readonly<Record<string, unknown>>;

export type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

/** The fate of a call. Each kind but `forward` is a fault or part of one. */
export type Fate =
  | { readonly kind: 'forward' }
  /** Answered by the proxy; the call does not reach the chain. */
  | { readonly kind: 'answer'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: RpcError }
  /** An HTTP reply that is not JSON-RPC. */
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly body: string;
      readonly retryAfterS?: number;
    }
  /** The connection breaks. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'delay'; readonly delayMs: number; readonly next: Fate }
  /** The call reaches the chain; its reply is dropped and `next` happens instead. */
  | { readonly kind: 'deliver'; readonly next: Fate }
  /** The call reaches the chain twice; the second reply is returned. */
  | { readonly kind: 'duplicate' }
  /** The chain's reply is changed on its way back. */
  | { readonly kind: 'rewrite'; readonly rewrite: (answer: RpcAnswer) => RpcAnswer };

export const FORWARD: Fate = { kind: 'forward' };
export const CUT: Fate = { kind: 'cut' };

export type Decide = (call: RpcCall) => Fate | Promise<Fate>;

export type FaultProxy = AsyncDisposable & { readonly url: string };

type Reply =
  | { readonly status: number; readonly body: string; readonly retryAfterS?: number | undefined }
  | 'cut';

/**
 * A proxy in front of the chain's RPC, with its WebSocket on the next port; `decide` returns the
 * fate of each call and each notification.
 */
export async function startFaultProxy(chainRpcUrl: string, decide: Decide): Promise<FaultProxy> {
  const stopping = new AbortController();
  const sockets = createServer();
  const endSockets = relaySockets(sockets, { chainUrl: socketUrlOf(chainRpcUrl), decide });
  const rpc = createServer((request, response) => {
    relay(request, { chainRpcUrl, decide, signal: stopping.signal }).then(
      (reply) => send(response, reply),
      (error: unknown) =>
        send(response, { status: 502, body: JSON.stringify({ error: String(error) }) }),
    );
  });
  const port = await listenOnLoopback(rpc, sockets);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      endSockets();
      await Promise.all([rpc, sockets].map(closeServer));
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'cut') {
    response.socket?.destroy();
    return;
  }
  const { status, body, retryAfterS } = reply;
  const wait = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  response.writeHead(status, { 'content-type': 'application/json', ...wait }).end(body);
}

type Way = {
  readonly chainRpcUrl: string;
  readonly decide: Decide;
  readonly signal: AbortSignal;
};

async function relay(request: IncomingMessage, way: Way): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks).toString('utf8');
  const { id, method, params } = call.parse(JSON.parse(body));
  const fate = await way.decide({ method, params: params ?? [] });
  return meet(fate, { id, body, way });
}

type Caught = { readonly id: unknown; readonly body: string; readonly way: Way };

async function meet(fate: Fate, caught: Caught): Promise<Reply> {
  const { id, body, way } = caught;
  const told = (answer: object): Reply => ({
    status: 200,
    body: JSON.stringify({ jsonrpc: '2.0', id, ...answer }),
  });
  switch (fate.kind) {
    case 'forward':
      return { status: 200, body: await forward(way.chainRpcUrl, body) };
    case 'answer':
      return told({ result: fate.result });
    case 'error':
      return told({ error: fate.error });
    case 'raw':
      return { status: fate.status, body: fate.body, retryAfterS: fate.retryAfterS };
    case 'cut':
      return 'cut';
    case 'delay':
      await delay(fate.delayMs, undefined, { signal: way.signal });
      return meet(fate.next, caught);
    case 'deliver':
      await forward(way.chainRpcUrl, body);
      return meet(fate.next, caught);
    case 'duplicate':
      await forward(way.chainRpcUrl, body);
      return { status: 200, body: await forward(way.chainRpcUrl, body) };
    case 'rewrite': {
      const answer = z
        .record(z.string(), z.unknown())
        .parse(JSON.parse(await forward(way.chainRpcUrl, body)));
      return { status: 200, body: JSON.stringify(fate.rewrite(answer)) };
    }
  }
}

const FORWARD_TIMEOUT_MS = 20_000;

/** Sends a JSON-RPC body to the chain itself. */
export async function forward(chainRpcUrl: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
  const answer = await fetch(chainRpcUrl, { method: 'POST', headers, body, signal });
  return answer.text();
}
