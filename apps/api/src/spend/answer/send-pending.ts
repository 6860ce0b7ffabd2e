import type { signPaymentPendingAnswer } from '@agent-wallet/contract';
import type { Spend } from '@agent-wallet/spend';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

/**
 * Sends 202: the spend is accepted, and its outcome will be at `Location`. `transaction` is what the
 * agent gives to a service.
 */
export function sendPending(
  reply: FastifyReply,
  { spendId, txSignature }: Pick<Spend, 'spendId' | 'txSignature'>,
  transaction: Buffer | null = null,
): FastifyReply {
  const body: z.input<typeof signPaymentPendingAnswer> = {
    spend_id: spendId,
    status: 'pending',
    tx_signature: txSignature,
    ...(transaction === null ? {} : { transaction: transaction.toString('base64') }),
  };
  return reply.code(202).header('location', `/v1/spend/${spendId}`).send(body);
}
