import { ERROR_ROWS, errorRowOf } from '@agent-wallet/contract';
import { isAppError } from '@agent-wallet/errors';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { createBrokenRequestAnswer } from './http/broken-request.ts';
import { sendError, sendRouteNotFound } from './http/error-reply.ts';
import { createMetrics } from './metrics.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './http/request-id.ts';
import { healthRoutes } from './routes/public/health.ts';

const REQUEST_TIMEOUT_MS = 15_000;

/**
 * Stands in for the application when the settings do not fit: every call of the interface is
 * answered with 500 `server misconfigured`, nothing is read or done, and it is never ready. Throws
 * `fault` itself when that is no misconfiguration.
 */
export function createMisconfiguredApp({
  fault,
  logger,
  isDraining,
}: {
  readonly fault: unknown;
  readonly logger: FastifyBaseLogger;
  readonly isDraining: () => boolean;
}): FastifyInstance {
  const isMisconfigured =
    isAppError(fault) && errorRowOf(fault.code).error === ERROR_ROWS.SERVER_MISCONFIGURED.error;
  if (!isMisconfigured) throw fault;
  logger.fatal({ err: fault }, 'misconfigured: every call is answered with 500');
  const brokenRequests = createBrokenRequestAnswer();
  const app = Fastify({
    loggerInstance: logger,
    genReqId: requestIdOf,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => sendRouteNotFound(request, reply),
    clientErrorHandler: brokenRequests.answer,
  });
  brokenRequests.watch(app.server);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(sendRouteNotFound);
  app.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
  });
  app.register(
    healthRoutes({
      metrics: createMetrics(),
      checks: { configuration: () => Promise.reject(fault) },
      isDraining,
    }),
  );
  // In onRequest: no body is waited for.
  const refuse = async (): Promise<never> => Promise.reject(fault);
  app.all('/v1/*', { onRequest: refuse }, refuse);
  return app;
}
