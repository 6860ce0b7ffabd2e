import { Agent as Connections } from 'undici';
import { z } from 'zod';
import { turnOf } from './agents.ts';

/** One request that the api refuses each time. */
export type RefusedRequest = {
  readonly apiKey: string;
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Flood = {
  /** Ends the flood; returns the number of its replies by kind: the status and the code. */
  readonly stop: () => Promise<Readonly<Record<string, number>>>;
};

const coded = z.object({ code: z.string().optional() });

/**
 * Sends requests in turns, as fast as the clients can: each sends its next one after the response,
 * whatever it was, and none waits for the time that a 429 names.
 */
export function startFlood(
  urls: readonly string[],
  requests: readonly RefusedRequest[],
  clients: number,
): Flood {
  const connections = new Connections({ connections: Math.ceil(clients / urls.length) });
  const replies: Record<string, number> = {};
  const ended = new AbortController();
  let sent = 0;

  async function sendNext(): Promise<void> {
    const n = (sent += 1);
    const { apiKey, path, body, headers } = turnOf(requests, n);
    const reply = await connections.request({
      origin: turnOf(urls, n),
      method: 'POST',
      path,
      headers: {
        ...headers,
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    const { code } = coded.parse(await reply.body.json());
    const kind = code === undefined ? String(reply.statusCode) : `${reply.statusCode} ${code}`;
    replies[kind] = (replies[kind] ?? 0) + 1;
  }
  async function sendOnAndOn(): Promise<void> {
    while (!ended.signal.aborted) await sendNext();
  }

  const sending = Promise.all(Array.from({ length: clients }, sendOnAndOn));
  return {
    stop: async () => {
      ended.abort();
      try {
        await sending;
        return replies;
      } finally {
        await connections.destroy();
      }
    },
  };
}
