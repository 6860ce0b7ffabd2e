import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { z } from 'zod';
import type { Decide, Fate } from './fault-proxy.ts';

const notification = z.looseObject({ method: z.string() });

/**
 * Relays WebSocket connections to the chain. Each notification meets the fate of a call of its
 * method; where a call would not reach the chain, or its reply not the caller, it is lost. Returns
 * the function that ends all connections.
 */
export function relaySockets(
  server: Server,
  { chainUrl, decide }: { readonly chainUrl: string; readonly decide: Decide },
): () => void {
  const listener = new WebSocket.Server({ server });
  listener.on('connection', (client) => {
    const chain = new WebSocket(chainUrl);
    const opened = once(chain, 'open');
    const end = (): void => {
      client.terminate();
      chain.terminate();
    };
    // The end of the connection is what the client sees of a chain that is away.
    opened.catch(end);
    client.on('message', (data) => void opened.then(() => chain.send(data)).catch(end));
    // JSON comes in text frames.
    chain.on('message', (data) => {
      if (typeof data === 'string') void show(client, data, decide).catch(end);
    });
    for (const socket of [client, chain]) socket.on('close', end).on('error', end);
  });
  return () => {
    for (const client of listener.clients) client.terminate();
    listener.close();
  };
}

async function show(client: WebSocket, text: string, decide: Decide): Promise<void> {
  const parsed = notification.safeParse(JSON.parse(text));
  if (!parsed.success) return client.send(text);
  return meet(await decide({ method: parsed.data.method, params: [] }), client, text);
}

async function meet(fate: Fate, client: WebSocket, text: string): Promise<void> {
  switch (fate.kind) {
    case 'forward':
    case 'rewrite':
      return client.send(text);
    case 'duplicate':
      client.send(text);
      return client.send(text);
    case 'delay':
      await delay(fate.delayMs);
      return meet(fate.next, client, text);
    case 'cut':
      return client.terminate();
    case 'answer':
    case 'error':
    case 'raw':
    case 'deliver':
  }
}
