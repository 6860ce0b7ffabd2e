import type { Server } from 'node:http';
import cookie from '@fastify/cookie';
import type { Database } from '@agent-wallet/db';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
} from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { createAgentAuth } from './auth/authenticate-agent.ts';
import { createOwnerAuth } from './auth/authenticate-owner.ts';
import type { KeyPrefix } from './auth/api-key.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createOwnerTokens } from './auth/owner-token.ts';
import { createRateLimiter } from './auth/rate-limiter.ts';
import { createBrokenRequestAnswer } from './http/broken-request.ts';
import type { ChainAccess } from './chain/chain-access.ts';
import { allowDashboard } from './http/cors.ts';
import { sendError, sendRouteNotFound } from './http/error-reply.ts';
import { readJson } from './http/json-body.ts';
import { describeRequest } from './http/describe-request.ts';
import type { Metrics } from './metrics.ts';
import type { Network } from './chain/network.ts';
import type { Egress } from './egress/egress.ts';
import { networkIdOf } from './x402/payment-networks.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './http/request-id.ts';
import { agentLimitRoutes } from './routes/agent/agent.ts';
import { collectRoutes } from './openapi/document.ts';
import { auditRoutes } from './routes/owner/audit.ts';
import { authRoutes } from './routes/public/auth.ts';
import { blastRadiusRoutes } from './routes/owner/blast-radius.ts';
import { documentRoutes } from './routes/public/document.ts';
import { type HealthDeps, healthRoutes } from './routes/public/health.ts';
import { policyRoutes } from './routes/owner/policy.ts';
import { serviceRoutes } from './routes/agent/service.ts';
import { servicesRoutes } from './routes/agent/services.ts';
import { sessionChangeRoutes } from './routes/owner/session-changes.ts';
import { sessionRoutes } from './routes/owner/session.ts';
import { spendRoutes } from './routes/agent/spend.ts';
import { walletChangeRoutes } from './routes/owner/wallet-changes.ts';
import { walletRoutes } from './routes/owner/wallet.ts';
import { walletYieldRoutes } from './routes/owner/wallet-yield.ts';
import { yieldRoutes } from './routes/agent/yield.ts';
import type { Deliverer } from './service/deliverer.ts';
import { createRequestService } from './service/request-service.ts';
import type { OutcomeWaiter } from './spend/outcome-waiter.ts';
import type { Budgets, PendingLimits } from '@agent-wallet/spend';
import { createRequestSpend, type SpendDeps } from './spend/request-spend.ts';
import { createPerWalletLimit } from './spend/per-wallet-limit.ts';

type AppSettings = {
  readonly dashboardOrigin: string;
  readonly cookieSecret: string;
  readonly apiKeyPepper: string;
  /** Name of the chain as wallets know it, and the prefix of the keys that go with it. */
  readonly cluster: Network['cluster'];
  readonly keyPrefix: KeyPrefix;
  readonly signInPerMinute: number;
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  readonly pendingLimits: PendingLimits;
  readonly budgets: Budgets;
  /** Whether agents get what the interface does not name: the catalogue, for one. */
  readonly agentExtensions: boolean;
  /** How many proxies in front of us may name the caller's address; 0 when there is none. */
  readonly trustedProxies: number;
};

type AppDeps = {
  readonly settings: AppSettings;
  readonly db: Database;
  readonly chain: ChainAccess;
  readonly nudge: (sessionId: string) => Promise<void>;
  readonly waiter: OutcomeWaiter;
  /** The way to services, and what carries proofs of payment to them. */
  readonly egress: Egress;
  readonly deliverer: Deliverer;
  readonly metrics: Metrics;
  readonly health: Omit<HealthDeps, 'metrics'>;
  readonly logger: FastifyBaseLogger;
  readonly nowMs: () => number;
};

const BODY_LIMIT_BYTES = 64 * 1024;
/** Longer than the longest wait for a spend's outcome. */
const REQUEST_TIMEOUT_MS = 15_000;
/** How often that is looked at: it is late by no more. */
const LATE_REQUESTS_MS = 3_000;
const KEEP_ALIVE_MS = 65_000;

/** The application: everything but the process around it. */
export function createApp(deps: AppDeps): FastifyInstance {
  const { settings, logger, metrics } = deps;
  const brokenRequests = createBrokenRequestAnswer();
  const options: FastifyHttpOptions<Server> = {
    loggerInstance: logger.child({}, { serializers: { req: describeRequest } }),
    genReqId: requestIdOf,
    bodyLimit: BODY_LIMIT_BYTES,
    // Bounds the reading of a request, not the wait for its answer.
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      connectionsCheckingInterval: LATE_REQUESTS_MS,
      // Left longer than the whole request's, it would be the one that holds for bodies.
      headersTimeout: REQUEST_TIMEOUT_MS,
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: (_address, hop) => hop < settings.trustedProxies,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 100 },
    // A path that cannot be decoded, or a part of it that is too long: no such route.
    frameworkErrors: (_error, request, reply) => sendRouteNotFound(request, reply),
    clientErrorHandler: brokenRequests.answer,
  };
  const app = Fastify(options);
  brokenRequests.watch(app.server);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(sendRouteNotFound);
  readJson(app);
  app.register(cookie);
  // Before anything of it is read: no body is right or wrong where there is no route.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    sendRouteNotFound(request, reply);
    return reply;
  });
  app.addHook('onSend', async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    // Answers are about one caller: nobody keeps them, unless the route says otherwise.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    // A connection that stayed open after the last answer would hold up the end of the process.
    if (deps.health.isDraining()) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    metrics.httpAnswered(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
  });
  const describe = collectRoutes(app, packageJson.version);
  app.register(documentRoutes(describe));
  app.register(healthRoutes({ ...deps.health, metrics }));
  app.register(ownerRoutes(deps));
  app.register(agentRoutes(deps));
  return app;
}

/** Called from the owner's page, with a cookie. */
function ownerRoutes({ settings, db, chain, nowMs }: AppDeps) {
  const { dashboardOrigin, cluster, keyPrefix, apiKeyPepper: pepper } = settings;
  const tokens = createOwnerTokens(settings.cookieSecret, () => new Date(nowMs()));
  const signInLimit = () => {
    const { signInPerMinute: burst } = settings;
    return createRateLimiter({ perSecond: burst / 60, burst, nowMs });
  };
  const limit = createRateLimiter({
    perSecond: settings.ratePerSecond,
    burst: settings.rateBurst,
    nowMs,
  });
  const owners = createOwnerAuth({ db, tokens, limit, dashboardOrigin });
  return async (app: FastifyInstance) => {
    allowDashboard(app, dashboardOrigin);
    app.register(
      authRoutes({
        db,
        site: { dashboardOrigin, cluster },
        tokens,
        owners,
        limitNonce: signInLimit(),
        limitSignIn: signInLimit(),
      }),
    );
    app.register(walletRoutes({ db, owners, chain, cluster }));
    app.register(walletChangeRoutes({ db, owners, chain }));
    app.register(walletYieldRoutes({ db, owners, chain }));
    app.register(policyRoutes({ db, owners }));
    app.register(sessionRoutes({ db, owners, chain, keyPrefix, pepper, nowMs }));
    app.register(sessionChangeRoutes({ db, owners, chain, nowMs }));
    app.register(blastRadiusRoutes({ db, owners, chain, nowMs }));
    app.register(auditRoutes({ db, owners }));
  };
}

/** Called by agents, with a bearer key. */
function agentRoutes(deps: AppDeps) {
  const { settings, db, chain, nudge, waiter, egress, deliverer, metrics, logger, nowMs } = deps;
  const limit = createRateLimiter({
    perSecond: settings.ratePerSecond,
    burst: settings.rateBurst,
    nowMs,
  });
  const agents = createAgentAuth({ db, pepper: settings.apiKeyPepper, limit });
  const spendDeps: SpendDeps = {
    db,
    chain,
    nudge,
    waiter,
    pendingLimits: settings.pendingLimits,
    budgets: settings.budgets,
    limitPerWallet: createPerWalletLimit(),
    nowMs,
    onFault: (error) => logger.error({ err: error }, 'fault while waiting for an outcome'),
  };
  const requestSpend = createRequestSpend(spendDeps);
  const requestService = createRequestService({
    ...spendDeps,
    egress,
    deliverer,
    payable: { network: networkIdOf(settings.cluster), asset: chain.usdcMint },
    onProbed: metrics.probed,
  });
  return async (app: FastifyInstance) => {
    const askDeps = { db, agents, chain, requestSpend, metrics, nowMs };
    app.register(spendRoutes(askDeps));
    app.register(yieldRoutes(askDeps));
    app.register(serviceRoutes({ db, agents, chain, requestService, metrics, nowMs }));
    if (settings.agentExtensions) {
      app.register(servicesRoutes({ db, agents }));
      app.register(agentLimitRoutes({ db, agents, chain, nowMs }));
    }
  };
}
