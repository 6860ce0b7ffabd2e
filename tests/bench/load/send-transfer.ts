import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { z } from 'zod';
import type { Agent, Target } from './agents.ts';

const REPLY_TIMEOUT_MS = 120_000;
const LEAST_AMOUNT = 1_000;
const AMOUNTS = 1_000;

const replyBody = z.object({ code: z.string().optional() });

/** `200`, `202`, or the status with the code of a refusal. */
export type ReplyKind = string;

/** Sends one transfer of an agent; the amount depends on `n`. */
export type SendTransfer = (agent: Agent, n: number) => Promise<ReplyKind>;

/** A connection pool to a target. Every request has an Idempotency-Key, as a careful agent sends. */
export function openTransfers(
  { url }: Pick<Target, 'url'>,
  options: { readonly connections: number; readonly prefer?: string | undefined },
): { readonly send: SendTransfer; readonly close: () => Promise<void> } {
  const pool = new Pool(url, {
    connections: options.connections,
    headersTimeout: REPLY_TIMEOUT_MS,
    bodyTimeout: REPLY_TIMEOUT_MS,
  });
  const { prefer } = options;
  return {
    send: async ({ apiKey, recipient }, n) => {
      const reply = await pool.request({
        method: 'POST',
        path: '/v1/spend/transfer',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
          ...(prefer === undefined ? {} : { prefer }),
        },
        body: JSON.stringify({ recipient, amount: LEAST_AMOUNT + (n % AMOUNTS) }),
      });
      const text = await reply.body.text();
      if (reply.statusCode < 300) return String(reply.statusCode);
      return `${reply.statusCode} ${replyBody.parse(JSON.parse(text)).code ?? ''}`.trim();
    },
    close: () => pool.destroy(),
  };
}
