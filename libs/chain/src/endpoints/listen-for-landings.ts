/** Hints from a node's WebSocket that transactions of a program have landed. */

import { AppError } from '@agent-wallet/errors';

import { fieldOf } from '../rpc/untrusted-json.ts';

/** A live node answers each ping; after two unanswered ones the connection counts as dead. */
const PING_EVERY_MS = 10_000;
const MOST_UNANSWERED = 2;
/** Of the only subscription. */
const CALL_ID = 1;
/** No node knows the method: its answer is an error, and shows that the connection lives. */
const PING = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping', params: [] });

export type ListenOptions = {
  /** ws or wss. */
  readonly url: string;
  readonly programId: string;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
  /** Called with true when the subscription begins and with false when it ends. */
  readonly onLive: (isLive: boolean) => void;
  /** Called with the signature of each confirmed transaction, successful or failed. */
  readonly onLanding: (signature: string) => void;
};

/**
 * Subscribes to the program's transactions at `confirmed`, with one subscription for all of them.
 * Resolves when the subscription ends, also on a connection that has gone silent; the next call
 * begins another one. Landings between the two are not notified. Throws RPC_UNAVAILABLE when the
 * node accepts no subscription.
 */
export async function listenForLandings(options: ListenOptions): Promise<void> {
  const { url, programId, signal, onLive, onLanding } = options;
  if (signal.aborted) return;
  const socket = new WebSocket(url);
  const ended = Promise.withResolvers<void>();
  const end = (): void => ended.resolve();
  const listening = new AbortController();
  const untilEnd = { signal: listening.signal };
  let unanswered = 0;
  const ping = (): void => {
    if (unanswered === MOST_UNANSWERED) return end();
    unanswered += 1;
    if (socket.readyState === WebSocket.OPEN) socket.send(PING);
  };
  const pings = setInterval(ping, PING_EVERY_MS);
  let isLive = false;
  signal.addEventListener('abort', end, untilEnd);
  socket.addEventListener('close', end, untilEnd);
  socket.addEventListener('error', end, untilEnd);
  const subscribe = (): void => {
    const params = [{ mentions: [programId] }, { commitment: 'confirmed' }];
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: CALL_ID, method: 'logsSubscribe', params }));
  };
  socket.addEventListener('open', subscribe, untilEnd);
  const read = ({ data }: { readonly data: unknown }): void => {
    unanswered = 0;
    const message = jsonOf(data);
    if (fieldOf(message, 'id') === CALL_ID) {
      if (typeof fieldOf(message, 'result') !== 'number') return end();
      isLive = true;
      return onLive(true);
    }
    const result = fieldOf(fieldOf(message, 'params'), 'result');
    const signature = fieldOf(fieldOf(result, 'value'), 'signature');
    if (typeof signature === 'string') onLanding(signature);
  };
  socket.addEventListener('message', read, untilEnd);
  await ended.promise;
  listening.abort();
  clearInterval(pings);
  socket.close();
  if (isLive) onLive(false);
  else if (!signal.aborted) throw new AppError('RPC_UNAVAILABLE', { method: 'logsSubscribe' });
}

function jsonOf(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return null;
  }
}
