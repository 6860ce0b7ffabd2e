import { configAnswer, idlAnswer } from '@agent-wallet/contract';
import type { FastifyPluginAsync } from 'fastify';
import type { z } from 'zod';
import idl from '../../../../../program/idl/agent_wallet.json' with { type: 'json' };

export type PublicConfig = Omit<z.input<typeof configAnswer>, 'idl_url'>;

const CACHE = 'public, max-age=300';
const IDL_URL = '/v1/config/idl';

/** What clients must know of the deployment, and the program's interface description. */
export function configRoutes(config: PublicConfig): FastifyPluginAsync {
  const described = { ...config, idl_url: IDL_URL };
  // The same program may be deployed at another address than the one in the file.
  const deployedIdl = JSON.stringify({ ...idl, address: config.program_id });
  return async (app) => {
    app.get(
      '/v1/config',
      {
        config: {
          doc: {
            tag: 'Configuration',
            caller: 'anybody',
            summary: 'Read chain, program and mint of the deployment',
            description: 'May be cached for five minutes.',
          },
        },
        schema: { response: { 200: configAnswer } },
      },
      async (_request, reply) => reply.header('cache-control', CACHE).send(described),
    );

    app.get(
      IDL_URL,
      {
        config: {
          doc: {
            tag: 'Configuration',
            caller: 'anybody',
            summary: "Read the program's interface description",
            description: 'May be cached for five minutes.',
          },
        },
        schema: { response: { 200: idlAnswer } },
      },
      async (_request, reply) =>
        reply
          .headers({ 'content-type': 'application/json', 'cache-control': CACHE })
          .send(deployedIdl),
    );
  };
}
