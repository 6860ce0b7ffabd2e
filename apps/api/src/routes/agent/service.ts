import { pendingAnswer, serviceBody } from '@agent-wallet/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { AgentAuth } from '../../auth/authenticate-agent.ts';
import { badRequest, REFUSALS } from '../../http/http-refusal.ts';
import type { Metrics } from '../../metrics.ts';
import { answerService, type ServiceAnswer } from '../../service/answer-service.ts';
import type { RequestService, ServiceRequest } from '../../service/request-service.ts';
import { composeRequest, headersForService } from '../../service/upstream-request.ts';
import { answerMetered, type answerSpend } from '../../spend/answer/answer-spend.ts';
import { sendPending } from '../../spend/answer/send-pending.ts';
import { readFrame } from '../../spend/spend-request.ts';

type ServiceRoutesDeps = Parameters<typeof answerSpend>[0] & {
  readonly agents: AgentAuth;
  readonly requestService: RequestService;
  readonly metrics: Pick<Metrics, 'spendAnswered'>;
};

const BODY_LIMIT_BYTES = 256 * 1024;
/** Stands for any entry: whether a path is valid does not depend on its base URL. */
const SOME_SERVICE = { baseUrl: 'https://service.invalid/', method: null };

/** Calls of the catalog's services, paid for the agent. */
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
            summary: 'Call a service of the catalog and pay for it',
            description:
              'The API calls the service, checks its price and payee, pays it, and repeats the call with the proof. Slugs of the catalog need no entry in the URL allowlist.',
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
        const call = readCall(request, agents, request.body);
        const { agent, slug } = call;
        const about = { request, metrics, kind: 'pay_service', slug: slug.slice(0, 64) } as const;
        const answer = await answerMetered(about, async () =>
          answerService(deps, agent, await requestService(call)),
        );
        return answer.kind === 'pending' ? sendPending(reply, answer.spend) : passOn(reply, answer);
      },
    );
  };
}

function readCall(
  request: FastifyRequest,
  agents: AgentAuth,
  sent: z.output<typeof serviceBody>,
): ServiceRequest {
  const { slug, path = null, max_amount: maxAmount } = sent;
  const body = textOfBody(sent.body);
  const composed = composeRequest(SOME_SERVICE, { path, headers: {}, body: null });
  if (!composed.ok) throw badRequest(composed.text);
  return {
    ...readFrame(request, agents, ['pay_service', slug, path, body, maxAmount.toString()]),
    slug,
    path,
    headers: headersForService(request.headers, body !== null),
    body: body === null ? null : Buffer.from(body),
    maxAmount,
  };
}

/** The JSON text for the service; `null` counts as no body. */
function textOfBody(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  try {
    return JSON.stringify(body);
  } catch (error) {
    // Parsed JSON can be written, unless it is nested deeper than the stack allows.
    if (error instanceof RangeError) throw badRequest('body is nested too deeply');
    throw error;
  }
}

/** Sends the service's own answer unchanged. */
function passOn(
  reply: FastifyReply,
  { status, headers, spendId, body }: Extract<ServiceAnswer, { readonly kind: 'passed_on' }>,
): FastifyReply {
  const paid = spendId === null ? {} : { 'x-spend-id': spendId };
  return reply.code(status).headers(headers).headers(paid).send(body);
}
