import type { FastifyInstance } from 'fastify';
import type { HttpMetrics } from '../metrics.ts';

/** Counts and times the requests of all routes that are registered after it. */
export function measureRequests(app: FastifyInstance, metrics: HttpMetrics): void {
  app.addHook('onRequest', async (_request, reply) => {
    // A client that hangs up ends its response too.
    reply.raw.once('close', metrics.began());
  });
  app.addHook('onResponse', async (request, reply) => {
    metrics.answered({
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
    if (reply.refusalCode !== null) metrics.refused(reply.refusalCode);
  });
}
