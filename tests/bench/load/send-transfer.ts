import { randomUUID } from 'node:crypto';
import { Agent as Connections } from 'undici';
import { z } from 'zod';
import { type Target, turnOf } from './agents.ts';

const REPLY_TIMEOUT_MS = 120_000;
const LEAST_AMOUNT = 1_000;
const AMOUNTS = 1_000;

const replyBody = z.object({ code: z.string().optional() });

/** `200`, `202`, or the status with the code of a refusal. */
export type ReplyKind = string;

export type Transfers = {
  /** Sends the n-th transfer: agent, server, amount and key follow from the number. */
  readonly send: (n: number) => Promise<ReplyKind>;
  readonly close: () => Promise<void>;
};

/** Connects to a target. Every request has an Idempotency-Key, as a careful agent sends. */
export function openTransfers(
  { urls, agents }: Target,
  options: { readonly connections: number; readonly prefer?: string | undefined },
): Transfers {
  const connections = new Connections({
    connections: Math.ceil(options.connections / urls.length),
    headersTimeout: REPLY_TIMEOUT_MS,
    bodyTimeout: REPLY_TIMEOUT_MS,
  });
  const { prefer } = options;
  const load = randomUUID();
  return {
    send: async (n) => {
      const { apiKey, recipient } = turnOf(agents, n);
      const reply = await connections.request({
        origin: turnOf(urls, n),
        method: 'POST',
        path: '/v1/spend/transfer',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': `${load}-${n}`,
          ...(prefer === undefined ? {} : { prefer }),
        },
        body: JSON.stringify({ recipient, amount: LEAST_AMOUNT + (n % AMOUNTS) }),
      });
      const text = await reply.body.text();
      if (reply.statusCode < 300) return String(reply.statusCode);
      return `${reply.statusCode} ${replyBody.parse(JSON.parse(text)).code ?? ''}`.trim();
    },
    close: () => connections.destroy(),
  };
}
