/** Hints from a node's WebSocket that transactions of a program have landed. */

import { AppError } from '@agent-wallet/errors';

import { fieldOf } from '../rpc/untrusted-json.ts';

/** A connection that was silent for so long may be dead: it is replaced. */
const SILENT_FOR_MS = 60_000;
/** Of the only call. */
const CALL_ID = 1;

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
 * Resolves when the subscription ends; the next call begins another one. What lands meanwhile is
 * not told. Throws RPC_UNAVAILABLE when the node accepts no subscription.
 */
export async function listenForLandings(options: ListenOptions): Promise<void> {
  const { url, programId, signal, onLive, onLanding } = options;
  if (signal.aborted) return;
  const socket = new WebSocket(url);
  const ended = Promise.withResolvers<void>();
  const end = (): void => ended.resolve();
  const listening = new AbortController();
  const untilEnd = { signal: listening.signal };
  let silence = setTimeout(end, SILENT_FOR_MS);
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
    clearTimeout(silence);
    silence = setTimeout(end, SILENT_FOR_MS);
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
  clearTimeout(silence);
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
