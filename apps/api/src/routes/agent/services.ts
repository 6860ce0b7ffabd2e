import { servicesAnswer, toAmountOut } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { listServices } from '@agent-wallet/spend';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { AgentAuth } from '../../auth/authenticate-agent.ts';
import { REFUSALS } from '../../http/http-refusal.ts';

/** The enabled entries of the catalog, for agents. */
export function servicesRoutes(deps: {
  readonly db: Database;
  readonly agents: AgentAuth;
}): FastifyPluginAsyncZod {
  const { db, agents } = deps;
  return async (app) => {
    app.get(
      '/v1/services',
      {
        config: {
          doc: {
            tag: 'Before spending',
            caller: 'agent',
            summary: 'List the services of the catalog',
          },
        },
        schema: { response: { 200: servicesAnswer, ...REFUSALS } },
        onRequest: agents.authenticate,
      },
      async () => {
        const services = await listServices(db, { enabledOnly: true });
        return {
          items: services.map((service) => ({
            slug: service.slug,
            name: service.name,
            base_url: service.baseUrl,
            enabled: service.enabled,
            pay_to: service.payTo,
            max_price: toAmountOut(service.maxPrice),
            method: service.method,
            proof: service.proof,
            created_at: service.createdAt.toISOString(),
          })),
        };
      },
    );
  };
}
