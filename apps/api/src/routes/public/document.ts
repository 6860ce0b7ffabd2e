import { documentAnswer } from '@agent-wallet/contract';
import type { FastifyPluginAsync } from 'fastify';
import type { Json } from '../../openapi/json-schema.ts';
import { renderPage } from '../../openapi/page.ts';

const CACHE = 'public, max-age=300';
/** The page has no script and loads no resource. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** The OpenAPI document and its HTML page. `describe` throws for an undocumented route. */
export function documentRoutes(describe: () => Json): FastifyPluginAsync {
  return async (app) => {
    let json = '';
    let page = '';
    app.addHook('onReady', async () => {
      const document = describe();
      json = JSON.stringify(document);
      page = renderPage(document);
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
          .send(page),
    );
  };
}
