import { pendingAnswer, serviceBody } from '@agent-wallet/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { AgentAuth } from '../../auth/authenticate-agent.ts';
import { badRequest, REFUSALS } from '../../http/http-refusal.ts';
import type { Metrics } from '../../metrics.ts';
import { answerService, type ServiceAnswer } from '../../service/answer-service.ts';
import type { RequestService, ServiceAsk } from '../../service/request-service.ts';
import { composeRequest, headersForService } from '../../service/service-request.ts';
import type { answerSpend } from '../../spend/answer-spend.ts';
import { digestOf } from '../../spend/digest.ts';
import { readIdempotencyKey, readWait } from '../../spend/spend-headers.ts';
import { sendPending } from '../../spend/send-pending.ts';

type ServiceRoutesDeps = Parameters<typeof answerSpend>[0] & {
  readonly agents: AgentAuth;
  readonly requestService: RequestService;
  readonly metrics: Pick<Metrics, 'spendAnswered'>;
};

const BODY_LIMIT_BYTES = 256 * 1024;
/** Any entry: whether a path is one at all does not depend on where it leads. */
const SOME_SERVICE = { baseUrl: 'https://service.invalid/', method: null };

/** Services of the catalogue, paid and asked for the agent. */
export function serviceRoutes(deps: ServiceRoutesDeps): FastifyPluginAsyncZod {
  const { agents, metrics, requestService } = deps;
  return async (app) => {
    app.post(
      '/v1/spend/service',
      {
        config: {
          doc: {
            tag: 'Spending',
            caller: 'agent',
            summary: 'Call a service of the catalogue and pay for it',
            description:
              'The service is asked, its price and payee are checked, it is paid and asked again with the proof. Slugs of the catalogue need no entry in the URL allowlist.',
            errors: [
              'SERVICE_NOT_FOUND',
              'QUOTED_OVER_MAX',
              'SERVICE_PROBE_FAILED',
              'CHALLENGE_MISMATCH',
              'UNSUPPORTED_BY_SERVICE',
              'SERVICE_DID_NOT_DELIVER',
              'PAYMENT_REFUSED',
              'NOT_SETTLED',
              'ANSWER_NOT_FOUND',
            ],
            movesMoney: true,
            passesOn:
              'What the service answered, its status and body; x-tx-signature and x-spend-id where it was paid.',
          },
        },
        bodyLimit: BODY_LIMIT_BYTES,
        schema: {
          body: serviceBody,
          response: { 202: pendingAnswer, ...REFUSALS },
        },
        onRequest: agents.authenticate,
      },
      async (request, reply) => {
        const ask = readAsk(request, agents, request.body);
        const outcome = await answerAsk(ask);
        metrics.spendAnswered({ kind: 'pay_service', ...outcomeOf(outcome) });
        request.log.info(
          { slug: ask.slug.slice(0, 64), spend_id: spendIdOf(outcome), outcome: outcome.kind },
          'service answered',
        );
        return send(reply, outcome);
      },
    );
  };

  async function answerAsk(ask: ServiceAsk): Promise<ServiceAnswer> {
    try {
      return await answerService(deps, ask.agent, ask.slug, await requestService(ask));
    } catch (error) {
      metrics.spendAnswered({ kind: 'pay_service', outcome: 'refused', layer: 'off-chain' });
      throw error;
    }
  }
}

function readAsk(
  request: FastifyRequest,
  agents: AgentAuth,
  asked: z.output<typeof serviceBody>,
): ServiceAsk {
  const { slug, path = null, max_amount: maxAmount } = asked;
  const body = textOfBody(asked.body);
  const composed = composeRequest(SOME_SERVICE, { path, headers: {}, body: null });
  if (!composed.ok) throw badRequest(composed.text);
  return {
    agent: agents.agentOf(request),
    slug,
    path,
    headers: headersForService(request.headers, body !== null),
    body: body === null ? null : Buffer.from(body),
    maxAmount,
    idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
    digest: digestOf(['pay_service', slug, path, body, maxAmount.toString()]),
    ...readWait(request.headers['prefer']),
    onAccepted: (spendId) => request.log.info({ spend_id: spendId }, 'spend accepted'),
  };
}

/** The JSON text for the service; `null` counts as no body. */
function textOfBody(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  try {
    return JSON.stringify(body);
  } catch (error) {
    // What was parsed can be written, unless it is nested deeper than the writer's stack.
    if (error instanceof RangeError) throw badRequest('body is nested too deeply');
    throw error;
  }
}

/** What the service said is sent as it is. */
function send(reply: FastifyReply, answer: ServiceAnswer): FastifyReply {
  switch (answer.kind) {
    case 'refused':
      throw answer.refusal;
    case 'pending':
      return sendPending(reply, answer.spend);
    case 'passed_on':
      return reply
        .code(answer.status)
        .headers(answer.headers)
        .headers(answer.spendId === null ? {} : { 'x-spend-id': answer.spendId })
        .send(answer.body);
  }
}

function outcomeOf(answer: ServiceAnswer) {
  switch (answer.kind) {
    case 'refused':
      return { outcome: 'refused', layer: answer.refusal.body.layer } as const;
    case 'pending':
      return { outcome: 'pending', layer: 'none' } as const;
    case 'passed_on':
      return { outcome: answer.spendId === null ? 'unpaid' : 'confirmed', layer: 'none' } as const;
  }
}

function spendIdOf(answer: ServiceAnswer): string | undefined {
  switch (answer.kind) {
    case 'refused':
      return answer.refusal.body.spend_id;
    case 'pending':
      return answer.spend.spendId;
    case 'passed_on':
      return answer.spendId ?? undefined;
  }
}
