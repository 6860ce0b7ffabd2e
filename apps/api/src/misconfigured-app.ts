import { ERROR_ROWS, errorRowOf } from '@agent-wallet/contract';
import { isAppError } from '@agent-wallet/errors';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createServer } from './http/create-server.ts';
import { healthRoutes } from './routes/public/health.ts';

/**
 * Replaces the application when its settings do not fit: each call under `/v1` is refused with 500
 * `server misconfigured`, and the api is never ready. Throws any other `fault`.
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
  const { reason = fault.message } = fault.context;
  logger.fatal(
    { err: fault },
    `the api is misconfigured and refuses every request with 500: ${String(reason)}`,
  );
  const app = createServer({ logger, isDraining, trustedProxies: 0 });
  const checks = { configuration: () => Promise.reject(fault) };
  app.register(healthRoutes({ checks, isDraining }));
  // In onRequest, so that no body is read.
  const refuse = async (): Promise<never> => Promise.reject(fault);
  app.all('/v1/*', { onRequest: refuse }, refuse);
  return app;
}
