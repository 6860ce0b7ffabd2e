import { isUtf8 } from 'node:buffer';
import {
  pendingAnswer,
  refusal,
  signPaymentAnswer,
  signPaymentBody,
  spendAnswer,
  toAmountOut,
  transferAnswer,
  transferBody,
} from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import {
  type Delivery,
  findDelivery,
  findSpends,
  isPending,
  type Spend,
} from '@agent-wallet/spend';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AgentAuth } from '../auth/authenticate-agent.ts';
import type { ChainAccess } from '../chain-access.ts';
import { notFound } from '../http-refusal.ts';
import type { Metrics } from '../metrics.ts';
import { isUuid } from '../request-id.ts';
import { digestOf } from '../spend/digest.ts';
import { answerSpend, type SpendAnswer } from '../spend/answer-spend.ts';
import { refusalOfSpend } from '../spend/refusal-of-spend.ts';
import type { RequestSpend, SpendAsk } from '../spend/request-spend.ts';
import { readIdempotencyKey, readWait } from '../spend/spend-headers.ts';

type SpendRoutesDeps = {
  readonly db: Database;
  readonly agents: AgentAuth;
  readonly chain: Pick<ChainAccess, 'readWallet'>;
  readonly requestSpend: RequestSpend;
  readonly metrics: Pick<Metrics, 'spendAnswered'>;
  readonly nowMs: () => number;
};

type AcceptedAnswer = Exclude<SpendAnswer, { readonly kind: 'refused' }>;

const REFUSALS = { '4xx': refusal, '5xx': refusal };

/** What agents spend with, and where they look afterwards. */
export function spendRoutes(deps: SpendRoutesDeps): FastifyPluginAsyncZod {
  const { db, agents, requestSpend, metrics } = deps;
  const answerAsk = async (ask: SpendAsk): Promise<SpendAnswer> => {
    try {
      const answer = await answerSpend(deps, ask.agent, await requestSpend(ask));
      metrics.spendAnswered({ kind: ask.kind, ...outcomeOf(answer) });
      return answer;
    } catch (error) {
      metrics.spendAnswered({ kind: ask.kind, outcome: 'refused', layer: 'off-chain' });
      throw error;
    }
  };
  const readAsk = (
    request: FastifyRequest,
    wish: Pick<SpendAsk, 'kind' | 'amount' | 'recipient' | 'url'>,
  ): SpendAsk => ({
    agent: agents.agentOf(request),
    ...wish,
    digest: digestOf([wish.kind, wish.amount.toString(), wish.recipient, wish.url]),
    idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
    ...readWait(request.headers['prefer']),
    onAccepted: (spendId) => request.log.info({ spend_id: spendId }, 'spend accepted'),
  });
  /** Asks and waits; a refusal is thrown. */
  const askAndWait = async (request: FastifyRequest, ask: SpendAsk): Promise<AcceptedAnswer> => {
    const answer = await answerAsk(ask);
    request.log.info({ spend_id: spendIdOf(answer), outcome: answer.kind }, 'spend answered');
    if (answer.kind === 'refused') throw answer.refusal;
    return answer;
  };
  return async (app) => {
    app.post(
      '/v1/spend/transfer',
      {
        schema: {
          body: transferBody,
          response: { 200: transferAnswer, 202: pendingAnswer, ...REFUSALS },
        },
        onRequest: agents.authenticate,
      },
      async (request, reply) => {
        const { amount, recipient } = request.body;
        const ask = readAsk(request, { kind: 'transfer', amount, recipient, url: null });
        const answer = await askAndWait(request, ask);
        if (answer.kind === 'pending') {
          return reply.code(202).headers(locationOf(answer)).send(toPending(answer.spend));
        }
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
        schema: {
          body: signPaymentBody,
          response: { 200: signPaymentAnswer, 202: pendingAnswer, ...REFUSALS },
        },
        onRequest: agents.authenticate,
      },
      async (request, reply) => {
        const { amount, recipient, url } = request.body;
        const ask = readAsk(request, { kind: 'sign_payment', amount, recipient, url });
        const answer = await askAndWait(request, ask);
        if (answer.kind === 'pending') {
          return reply.code(202).headers(locationOf(answer)).send(toPending(answer.spend));
        }
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
        schema: {
          params: z.object({ id: z.string() }),
          response: { 200: spendAnswer, ...REFUSALS },
        },
        onRequest: agents.authenticate,
      },
      async (request) => {
        const { id } = request.params;
        const [spend] = isUuid(id) ? await findSpends(db, [id]) : [];
        if (spend === undefined || spend.sessionId !== agents.agentOf(request).sessionId) {
          throw notFound('spend');
        }
        const delivery = spend.kind === 'pay_service' ? await findDelivery(db, id) : null;
        return describeSpend(spend, delivery);
      },
    );
  };
}

function outcomeOf(answer: SpendAnswer) {
  if (answer.kind !== 'refused') return { outcome: answer.kind, layer: 'none' } as const;
  return { outcome: 'refused', layer: answer.refusal.body.layer } as const;
}

const spendIdOf = (answer: SpendAnswer): string | undefined =>
  answer.kind === 'refused' ? answer.refusal.body.spend_id : answer.spend.spendId;

const locationOf = ({ spend }: AcceptedAnswer) => ({ location: `/v1/spend/${spend.spendId}` });

const toPending = (spend: Spend) => ({
  spend_id: spend.spendId,
  status: 'pending' as const,
  tx_signature: spend.txSignature,
});

function describeSpend(spend: Spend, delivery: Delivery | null): z.input<typeof spendAnswer> {
  const isRefused = spend.status === 'rejected' || spend.status === 'reverted';
  const isConfirmed = spend.status === 'confirmed' || spend.status === 'finalized';
  return {
    spend_id: spend.spendId,
    kind: spend.kind,
    status: isPending(spend.status) ? 'pending' : isConfirmed ? 'confirmed' : 'rejected',
    finalized: spend.finalizedAt !== null,
    amount: toAmountOut(spend.amount),
    recipient_or_url: spend.url ?? spend.recipient,
    tx_signature: spend.txSignature,
    error: isRefused ? refusalOfSpend(spend).body.error : null,
    code: isRefused ? spend.code : null,
    detail: isRefused ? spend.detail : null,
    payment_proof_header: spend.kind === 'sign_payment' && isConfirmed ? spend.txSignature : null,
    upstream: describeUpstream(spend, delivery),
    created_at: spend.createdAt.toISOString(),
    settled_at: spend.settledAt?.toISOString() ?? null,
  };
}

/** Nothing was bought when the payment was refused before the service was asked. */
function describeUpstream(spend: Spend, delivery: Delivery | null) {
  const wasRefused = spend.status === 'rejected' || spend.status === 'reverted';
  if (delivery === null || (wasRefused && delivery.tries === 0)) return null;
  const { upstreamStatus: status, upstreamBody: body, state } = delivery;
  return { status, body: body === null ? null : textOf(body), delivery: state };
}

const textOf = (body: Buffer): string => body.toString(isUtf8(body) ? 'utf8' : 'base64');
