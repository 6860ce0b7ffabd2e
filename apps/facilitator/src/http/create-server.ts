import type { Logger } from '@agent-wallet/process';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Metrics } from '../metrics.ts';
import type { Facilitator } from '../payment/create-facilitator.ts';
import { createAuthenticate } from './authenticate.ts';
import { createCalls } from './calls.ts';
import { HttpError } from './http-error.ts';

export type ServerOptions = {
  readonly facilitator: Facilitator;
  readonly callerKeys: readonly string[] | undefined;
  /** Of each caller. */
  readonly ratePerSecond: number;
  readonly concurrentSettles: number;
  readonly bodyLimitBytes: number;
  readonly requestTimeoutMs: number;
  /** How many proxies in front may name the caller's address. */
  readonly trustedProxies: number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

const TIMEOUT_CHECK_MS = 1_000;

/** The HTTP server of a facilitator: GET /supported, POST /verify and POST /settle. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { log, metrics, facilitator } = options;
  const app = Fastify({
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: options.requestTimeoutMs,
    http: {
      headersTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    trustProxy: (_address, hop) => hop < options.trustedProxies,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  const authenticate = createAuthenticate(options.callerKeys);
  const callerOf = ({ headers, ip }: FastifyRequest): string | null =>
    authenticate(headers.authorization, ip);
  const calls = createCalls(options);

  app.setErrorHandler((error: FastifyError | HttpError, request, reply) => {
    const refusal = error instanceof HttpError ? error : fromFramework(error);
    if (refusal.outcome === 'error') log.error({ err: error }, 'request failed');
    const route = request.routeOptions.url ?? 'none';
    metrics.requests.inc({ route, outcome: refusal.outcome });
    void reply.code(refusal.statusCode).headers(refusal.headers).send({ error: refusal.message });
  });
  app.setNotFoundHandler((_request, reply) => {
    const error = 'no such route: GET /supported, POST /verify and POST /settle exist';
    void reply.code(404).send({ error });
  });
  const rate = new RateLimiterMemory({ points: options.ratePerSecond, duration: 1 });
  app.addHook('onRequest', async (request) => {
    await rate.consume(callerOf(request) ?? request.ip).catch((refused: unknown) => {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const headers = { 'retry-after': String(Math.ceil(refused.msBeforeNext / 1_000)) };
      const error = `at most ${options.ratePerSecond} requests per second`;
      throw new HttpError(429, 'throttled', error, headers);
    });
  });

  app.get('/supported', async () => {
    metrics.requests.inc({ route: '/supported', outcome: 'ok' });
    return facilitator.supported();
  });
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    if (callerOf(request) !== null) return;
    const remedy = 'send one of CALLER_KEYS as Authorization: Bearer <key>';
    throw new HttpError(401, 'unauthorized', `the caller is not known: ${remedy}`);
  };
  app.post('/verify', { onRequest }, ({ body }) => calls.verify(body));
  app.post('/settle', { onRequest }, ({ body }) => calls.settle(body));
  return app;
}

/** The refusal for an error that the framework raises before a handler runs. */
function fromFramework({ statusCode, message }: FastifyError): HttpError {
  switch (statusCode) {
    case 400:
      return new HttpError(400, 'bad_request', 'body must be a JSON object');
    case 413:
      return new HttpError(413, 'bad_request', 'body is too large');
    case 415:
      return new HttpError(415, 'bad_request', 'content-type must be application/json');
    default:
      return statusCode !== undefined && statusCode < 500
        ? new HttpError(statusCode, 'bad_request', message)
        : new HttpError(500, 'error', 'the facilitator failed; its log has the reason');
  }
}
