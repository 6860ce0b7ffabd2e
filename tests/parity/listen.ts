import { z } from 'zod';
import { waitUntil } from '../support/wait-until.ts';
import { type Json, jsonSchema } from './symbols.ts';

const TIMEOUT_MS = 20_000;

const incoming = z.union([
  z.object({ id: z.number(), result: jsonSchema }),
  z.object({ id: z.number(), error: jsonSchema }),
  z.object({
    method: z.string(),
    params: z.object({ subscription: z.number(), result: jsonSchema }),
  }),
]);

export type Notification = { readonly method: string; readonly result: Json };

/** A WebSocket connection to a chain. */
export type Listening = Disposable & {
  /** Sends one call; returns its `result` or `error` member alone. */
  call(method: string, params: Json): Promise<Json>;
  /** Subscribes; returns the subscription's number. */
  subscribe(method: string, params: Json): Promise<number>;
  /** What a subscription has shown so far. */
  shownBy(subscription: number): readonly Notification[];
  /** Waits until a subscription has shown `count` notifications. */
  waitFor(subscription: number, count: number): Promise<readonly Notification[]>;
};

export async function listen(wsUrl: string): Promise<Listening> {
  const socket = new WebSocket(wsUrl);
  const answers = new Map<number, Json>();
  const shown = new Map<number, Notification[]>();
  let calls = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = incoming.parse(JSON.parse(String(data)));
    if ('id' in message) {
      answers.set(
        message.id,
        'result' in message ? { result: message.result } : { error: message.error },
      );
      return;
    }
    const { method, params } = message;
    const earlier = shown.get(params.subscription) ?? [];
    shown.set(params.subscription, [...earlier, { method, result: params.result }]);
  });
  await waitUntil('an open socket', () => socket.readyState === WebSocket.OPEN);

  async function call(method: string, params: Json): Promise<Json> {
    calls += 1;
    const id = calls;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await waitUntil(`an answer to ${method}`, () => answers.has(id), { timeoutMs: TIMEOUT_MS });
    return answers.get(id) ?? null;
  }

  return {
    call,
    subscribe: async (method, params) =>
      z.object({ result: z.number() }).parse(await call(method, params)).result,
    shownBy: (subscription) => shown.get(subscription) ?? [],
    waitFor: async (subscription, count) => {
      const has = (): boolean => (shown.get(subscription)?.length ?? 0) >= count;
      await waitUntil(`${count} notifications`, has, { timeoutMs: TIMEOUT_MS });
      return shown.get(subscription) ?? [];
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
