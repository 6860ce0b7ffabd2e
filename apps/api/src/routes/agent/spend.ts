import { isUtf8 } from 'node:buffer';
import {
  pendingAnswer,
  signPaymentAnswer,
  signPaymentBody,
  signPaymentPendingAnswer,
  spendAnswer,
  spendParams,
  transferAnswer,
  transferBody,
} from '@agent-wallet/contract';
import {
  type Facilitator,
  findSpends,
  findUpstream,
  isLanded,
  isRefused,
  type Spend,
  type Upstream,
} from '@agent-wallet/spend';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { refuse, REFUSALS } from '../../http/http-refusal.ts';
import { isUuid } from '../../http/request-id.ts';
import { createAnswerRequest, type SpendRouteDeps } from '../../spend/answer/answer-spend.ts';
import { sendPending } from '../../spend/answer/send-pending.ts';
import { describeOutcome } from '../describe-outcome.ts';

/** Transfers, payments for calls, and the state of a spend. */
export function spendRoutes(deps: SpendRouteDeps): FastifyPluginAsyncZod {
  const { db, agents } = deps;
  const answerRequest = createAnswerRequest(deps);
  return async (app) => {
    app.post(
      '/v1/spend/transfer',
      {
        config: {
          doc: {
            tag: 'Spending',
            caller: 'agent',
            summary: 'Transfer to a recipient of the list',
            description: "The recipient's USDC token account must exist.",
            movesMoney: true,
          },
        },
        schema: {
          body: transferBody,
          response: { 200: transferAnswer, 202: pendingAnswer, ...REFUSALS },
        },
        onRequest: agents.authenticate,
      },
      async (request, reply) => {
        const { amount, recipient } = request.body;
        const spend = { kind: 'transfer', amount, recipient, url: null } as const;
        const answer = await answerRequest(request, spend);
        if (answer.kind === 'pending') return sendPending(reply, answer.spend);
        return reply.code(200).send({
          tx_signature: answer.txSignature,
          status: 'confirmed',
          spend_id: answer.spend.spendId,
        });
      },
    );

    app.post(
      '/v1/spend/sign-payment',
      {
        config: {
          doc: {
            tag: 'Spending',
            caller: 'agent',
            summary: 'Pay for a call that the agent makes itself',
            description:
              'The URL must be in the allowlist. With facilitator, for a standard x402 offer, nothing is sent: the answer is 202 with the transaction, signed by the session key. The service gets it in PAYMENT-SIGNATURE, and its facilitator sends it. The amount stays reserved until the transaction has landed or expired.',
            errors: ['URL_NOT_ALLOWED', 'UNSUPPORTED_BY_SERVICE', 'NOT_SETTLED'],
            movesMoney: true,
          },
        },
        schema: {
          body: signPaymentBody,
          response: { 200: signPaymentAnswer, 202: signPaymentPendingAnswer, ...REFUSALS },
        },
        onRequest: agents.authenticate,
      },
      async (request, reply) => {
        const { amount, recipient, url, facilitator } = request.body;
        const sentBy = facilitator === undefined ? {} : { facilitator: senderOf(facilitator) };
        const spend = { kind: 'sign_payment', amount, recipient, url, ...sentBy } as const;
        const answer = await answerRequest(request, spend);
        if (answer.kind === 'pending') return sendPending(reply, answer.spend, answer.transaction);
        return reply.code(200).send({
          tx_signature: answer.txSignature,
          payment_proof_header: answer.txSignature,
          spend_id: answer.spend.spendId,
        });
      },
    );

    app.get(
      '/v1/spend/:id',
      {
        config: {
          doc: {
            tag: 'Spending',
            caller: 'agent',
            summary: 'Read what became of a spend',
            errors: ['SPEND_NOT_FOUND'],
          },
        },
        schema: {
          params: spendParams,
          response: { 200: spendAnswer, ...REFUSALS },
        },
        onRequest: agents.authenticate,
      },
      async (request) => {
        const { id } = request.params;
        const [spend] = isUuid(id) ? await findSpends(db, [id]) : [];
        if (spend === undefined || spend.sessionId !== agents.agentOf(request).sessionId) {
          throw refuse('SPEND_NOT_FOUND');
        }
        const upstream = spend.kind === 'pay_service' ? await findUpstream(db, id) : null;
        return describeSpend(spend, upstream);
      },
    );
  };
}

function senderOf({
  fee_payer: feePayer,
  memo,
}: NonNullable<z.output<typeof signPaymentBody>['facilitator']>): Facilitator {
  return { feePayer, memo: memo ?? null };
}

function describeSpend(spend: Spend, upstream: Upstream | null): z.input<typeof spendAnswer> {
  const isPaid = spend.kind === 'sign_payment' && isLanded(spend.status);
  return {
    ...describeOutcome(spend),
    payment_proof_header: isPaid ? spend.txSignature : null,
    upstream: describeUpstream(spend, upstream),
  };
}

/** Null without a delivery, and for a payment that was refused before its delivery was tried. */
function describeUpstream(spend: Spend, upstream: Upstream | null) {
  if (upstream === null || (isRefused(spend.status) && upstream.tries === 0)) return null;
  const { upstreamStatus: status, upstreamBody: body, state } = upstream;
  return { status, body: body === null ? null : textOf(body), delivery: state };
}

const textOf = (body: Buffer): string => body.toString(isUtf8(body) ? 'utf8' : 'base64');
