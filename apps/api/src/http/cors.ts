import type { FastifyInstance } from 'fastify';

const ALLOWED_HEADERS = 'content-type, idempotency-key, prefer';
const EXPOSED_HEADERS =
  'x-tx-signature, x-spend-id, location, retry-after, x-request-id, ratelimit, ratelimit-policy';
const PREFLIGHT_SECONDS = 600;

/**
 * Allows the dashboard's origin to call the routes that are registered on `app` after this, with
 * its cookie. Other routes send no CORS header, which a catch-all preflight would break.
 */
export function allowDashboard(app: FastifyInstance, dashboardOrigin: string): void {
  const methodsByUrl = new Map<string, Set<string>>();

  app.addHook('onRequest', async (request, reply) => {
    reply.header('vary', 'Origin');
    if (request.headers.origin !== dashboardOrigin) return;
    reply.headers({
      'access-control-allow-origin': dashboardOrigin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': EXPOSED_HEADERS,
    });
  });

  app.addHook('onRoute', ({ method, url }) => {
    // A page may always send HEAD where it may send GET.
    if (method === 'OPTIONS' || method === 'HEAD') return;
    const known = methodsByUrl.get(url);
    const methods = known ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    methodsByUrl.set(url, methods);
    if (known !== undefined) return;
    app.options(url, async (request, reply) => {
      if (request.headers.origin === dashboardOrigin) {
        reply.headers({
          'access-control-allow-methods': [...methods].join(', '),
          'access-control-allow-headers': ALLOWED_HEADERS,
          'access-control-max-age': String(PREFLIGHT_SECONDS),
        });
      }
      return reply.code(204).send();
    });
  });
}
