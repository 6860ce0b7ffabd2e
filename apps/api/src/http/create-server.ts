import type { Server } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
} from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { collectMethods } from './allowed-methods.ts';
import { badRequest, refuse } from './http-refusal.ts';
import { refuseExpectation } from './expectation.ts';
import { readJson } from './json-body.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import { describeRequest } from './request-log.ts';
import { sendError, sendRouteNotFound } from './error-handler.ts';
import { createBrokenRequestHandler } from './broken-request.ts';

type ServerSettings = {
  readonly logger: FastifyBaseLogger;
  /** How many proxies in front of the api may name the caller's address; 0 without a proxy. */
  readonly trustedProxies: number;
  /** True once the process has received its stop signal. */
  readonly isDraining: () => boolean;
};

const BODY_LIMIT_BYTES = 64 * 1024;
/** Bounds the reading of a request, not the wait for its response. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Timeout check interval, and so the maximum overshoot. */
const TIMEOUT_CHECK_MS = 3_000;
const KEEP_ALIVE_MS = 65_000;

/** An HTTP server without routes: limits, parsing, errors and headers that hold for each route. */
export function createServer(settings: ServerSettings): FastifyInstance {
  const brokenRequests = createBrokenRequestHandler();
  const options: FastifyHttpOptions<Server> = {
    loggerInstance: settings.logger.child({}, { serializers: { req: describeRequest } }),
    genReqId: requestIdOf,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // A longer headers timeout would apply to bodies too, in place of the request timeout.
      headersTimeout: REQUEST_TIMEOUT_MS,
      // Node would refuse without a body; the hook below refuses with one.
      requireHostHeader: false,
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: (_address, hop) => hop < settings.trustedProxies,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: 100 },
    // The path cannot be decoded, or one of its parameters is too long: there is no such route.
    frameworkErrors: (_error, request, reply) => sendRouteNotFound(request, reply),
    clientErrorHandler: brokenRequests.refuse,
  };
  const app = Fastify(options);
  app.decorateReply('refusalCode', null);
  brokenRequests.watch(app.server);
  app.server.on('checkExpectation', refuseExpectation);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(sendRouteNotFound);
  readJson(app);
  app.addHook('onRequest', async ({ raw }) => {
    const needsHost = raw.httpVersion !== '1.0';
    if (needsHost && raw.headers.host === undefined) throw badRequest('host must be sent');
  });
  const methodsOf = collectMethods(app);
  // Before the body is read: an unknown route returns 404 or 405 whatever the body.
  app.addHook('onRequest', async (request) => {
    if (!request.is404) return;
    const methods = methodsOf(request.url);
    if (methods.length === 0) throw refuse('ROUTE_NOT_FOUND');
    throw refuse('METHOD_NOT_ALLOWED', {}, { headers: { allow: methods.join(', ') } });
  });
  app.addHook('onSend', async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    // Responses belong to one caller: caches must not keep them, unless the route allows it.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    // A connection kept alive after the last response would delay the end of the process.
    if (settings.isDraining()) reply.header('connection', 'close');
  });
  return app;
}
