/** The chain's subscriptions over WebSocket. */

import type { Server } from 'node:http';
import WebSocket from 'ws';
import { z } from 'zod';
import type { ChainEngine } from '../engine/chain-engine.ts';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RpcError,
} from '../rpc/rpc-error.ts';
import { SUBSCRIBE_METHODS, UNSUBSCRIBE_METHODS } from './subscribe-methods.ts';
import { createWatchers, type Watchers } from './watchers.ts';

const MAX_MESSAGE_BYTES = 64 * 1_024;
const MAX_SUBSCRIPTIONS = 10_000;
/** A connection whose reader is this far behind is ended. */
const MAX_UNREAD_BYTES = 16 * 1_024 * 1_024;

const callSchema = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
});

type Call = z.infer<typeof callSchema>;

export type SocketServer = {
  close(): void;
};

/** Accepts WebSocket connections on these servers. */
export function serveSubscriptions(chain: ChainEngine, servers: readonly Server[]): SocketServer {
  const watchers = createWatchers(chain);
  let lastSubscription = 0;
  const listeners = servers.map((server) => {
    const listener = new WebSocket.Server({ server, maxPayload: MAX_MESSAGE_BYTES });
    listener.on('connection', (socket) =>
      serveConnection(socket, watchers, () => (lastSubscription += 1)),
    );
    return listener;
  });
  return {
    close: () => {
      for (const listener of listeners) {
        for (const socket of listener.clients) socket.terminate();
        listener.close();
      }
      watchers.close();
    },
  };
}

function serveConnection(socket: WebSocket, watchers: Watchers, nextNumber: () => number): void {
  /** The function that ends each subscription, by its number. */
  const ends = new Map<number, () => void>();

  function send(message: object): void {
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
    else socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  function subscribe({ method, params = [] }: Call): number {
    const found = SUBSCRIBE_METHODS.get(method);
    if (found === undefined) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
    if (ends.size >= MAX_SUBSCRIPTIONS) {
      throw new RpcError(INVALID_REQUEST, `A connection has ${MAX_SUBSCRIPTIONS} subscriptions.`);
    }
    const watch = found.watchOf(params);
    const subscription = nextNumber();
    const end = watchers.add(watch, (result) => {
      if (watch.kind === 'signature') ends.delete(subscription);
      send({ method: found.notification, params: { result, subscription } });
    });
    ends.set(subscription, end);
    return subscription;
  }

  function unsubscribe({ params = [] }: Call): true {
    const [subscription] = params;
    const end = typeof subscription === 'number' ? ends.get(subscription) : undefined;
    if (end === undefined) throw new RpcError(INVALID_PARAMS, 'Invalid subscription id.');
    end();
    ends.delete(Number(subscription));
    return true;
  }

  function answer(text: string): void {
    const call = callSchema.safeParse(jsonOf(text));
    if (!call.success) {
      send({ error: { code: PARSE_ERROR, message: 'Parse error' }, id: null });
      return;
    }
    const { id, method } = call.data;
    // A notification, such as the pings with which clients keep a connection open.
    if (id === undefined) return;
    try {
      const isEnd = UNSUBSCRIBE_METHODS.has(method);
      send({ result: isEnd ? unsubscribe(call.data) : subscribe(call.data), id });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      send({ error: { code: error.code, message: error.message }, id });
    }
  }

  // JSON comes in text frames; a binary one is no call.
  socket.on('message', (data) => answer(typeof data === 'string' ? data : ''));
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    for (const end of ends.values()) end();
    ends.clear();
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
