import type { pendingAnswer } from '@agent-wallet/contract';
import type { Spend } from '@agent-wallet/spend';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

/** Sends 202: the spend is accepted, and its outcome will be at `Location`. */
export function sendPending(
  reply: FastifyReply,
  { spendId, txSignature }: Pick<Spend, 'spendId' | 'txSignature'>,
): FastifyReply {
  const body: z.input<typeof pendingAnswer> = {
    spend_id: spendId,
    status: 'pending',
    tx_signature: txSignature,
  };
  return reply.code(202).header('location', `/v1/spend/${spendId}`).send(body);
}
