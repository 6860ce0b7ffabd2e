import { documentAnswer } from '@agent-wallet/contract';
import type { FastifyPluginAsync } from 'fastify';
import { API_PAGE, loadReferenceScript, PAGE_POLICY, SCRIPT_PATH } from '../../openapi/api-page.ts';
import type { Json } from '../../openapi/json-schema.ts';

const CACHE = 'public, max-age=300';

/** The OpenAPI document and its page. `describe` throws for an undocumented route. */
export function documentRoutes(describe: () => Json): FastifyPluginAsync {
  return async (app) => {
    let json = '';
    app.addHook('onReady', async () => {
      json = JSON.stringify(describe());
    });

    app.get(
      '/openapi.json',
      {
        config: {
          doc: {
            tag: 'Operation',
            caller: 'anybody',
            summary: 'This document, OpenAPI 3.1',
          },
        },
        schema: { response: { 200: documentAnswer } },
      },
      async (_request, reply) =>
        reply.headers({ 'content-type': 'application/json', 'cache-control': CACHE }).send(json),
    );

    app.get(
      '/docs',
      {
        config: {
          doc: {
            tag: 'Operation',
            caller: 'anybody',
            summary: 'This document as a page',
            produces: 'text/html',
          },
        },
      },
      async (_request, reply) =>
        reply
          .headers({
            'content-type': 'text/html; charset=utf-8',
            'cache-control': CACHE,
            'content-security-policy': PAGE_POLICY,
          })
          .send(API_PAGE),
    );

    // Loaded for the first reader: most processes never serve it.
    let script: Promise<Buffer> | undefined;
    app.get(
      SCRIPT_PATH,
      {
        config: {
          doc: {
            tag: 'Operation',
            caller: 'anybody',
            summary: 'The script of the page',
            produces: 'text/javascript',
          },
        },
      },
      async (_request, reply) => {
        script ??= loadReferenceScript();
        return reply
          .headers({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': CACHE })
          .send(await script);
      },
    );
  };
}
