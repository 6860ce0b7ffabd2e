import { agentLimitsAnswer, quoteAnswer, quoteBody } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { AgentAuth } from '../../auth/authenticate-agent.ts';
import { createQuoteSpend, type QuoteChain } from '../../quote/quote-spend.ts';
import { readLimits } from '../../quote/read-limits.ts';
import { REFUSALS } from '../../http/http-refusal.ts';

type Deps = {
  readonly db: Database;
  readonly agents: AgentAuth;
  readonly chain: QuoteChain;
  readonly nowMs: () => number;
};

/** Limits and quotes, before an agent spends; nothing moves and nothing is logged. */
export function agentLimitRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { agents } = deps;
  const quoteSpend = createQuoteSpend(deps);
  return async (app) => {
    app.addHook('onRequest', agents.authenticate);

    app.get(
      '/v1/agent/limits',
      {
        config: {
          doc: {
            tag: 'Before spending',
            caller: 'agent',
            summary: 'Read what the session may do now',
            errors: ['RPC_UNAVAILABLE'],
          },
        },
        schema: { response: { 200: agentLimitsAnswer, ...REFUSALS } },
      },
      async (request) => readLimits(deps, agents.agentOf(request)),
    );

    app.post(
      '/v1/spend/quote',
      {
        config: {
          doc: {
            tag: 'Before spending',
            caller: 'agent',
            summary: 'Quote a spend',
            description: 'Evaluates both layers; nothing moves and nothing is logged.',
            errors: ['RPC_UNAVAILABLE'],
          },
        },
        schema: { body: quoteBody, response: { 200: quoteAnswer, ...REFUSALS } },
      },
      async (request) => quoteSpend(agents.agentOf(request), request.body),
    );
  };
}
