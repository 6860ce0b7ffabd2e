import cookie from '@fastify/cookie';
import type { Database } from '@agent-wallet/db';
import type { Budgets, PendingLimits } from '@agent-wallet/spend';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import packageJson from '../package.json' with { type: 'json' };
import type { KeyPrefix } from './auth/api-key.ts';
import { type AgentAuth, createAgentAuth } from './auth/authenticate-agent.ts';
import { createCallerAuth } from './auth/authenticate-caller.ts';
import { createOwnerAuth } from './auth/authenticate-owner.ts';
import { createOwnerTokens } from './auth/owner-token.ts';
import type { ChainAccess } from './chain/chain-access.ts';
import type { Network } from './chain/network.ts';
import type { Egress } from '@agent-wallet/egress';
import { allowDashboard } from './http/cors.ts';
import { createServer } from './http/create-server.ts';
import { measureRequests } from './http/measure-requests.ts';
import type { RateLimiter, TokenBuckets } from './limits/rate.ts';
import {
  createRateLimiter,
  createSharedBuckets,
  type LimitStore,
} from './limits/shared-buckets.ts';
import type { Metrics } from './metrics.ts';
import { collectRoutes } from './openapi/document.ts';
import { agentLimitRoutes } from './routes/agent/agent.ts';
import { serviceRoutes } from './routes/agent/service.ts';
import { servicesRoutes } from './routes/agent/services.ts';
import { spendRoutes } from './routes/agent/spend.ts';
import { yieldRoutes } from './routes/agent/yield.ts';
import { spendsRoutes } from './routes/both/spends.ts';
import { auditRoutes } from './routes/owner/audit.ts';
import { blastRadiusRoutes } from './routes/owner/blast-radius.ts';
import { policyRoutes } from './routes/owner/policy.ts';
import { sessionChangeRoutes } from './routes/owner/session-changes.ts';
import { sessionRoutes } from './routes/owner/session.ts';
import { walletChangeRoutes } from './routes/owner/wallet-changes.ts';
import { walletYieldRoutes } from './routes/owner/wallet-yield.ts';
import { walletRoutes } from './routes/owner/wallet.ts';
import { webhookDeliveryRoutes } from './routes/owner/webhook-deliveries.ts';
import { webhookRoutes } from './routes/owner/webhooks.ts';
import { authRoutes } from './routes/public/auth.ts';
import { configRoutes, type PublicConfig } from './routes/public/config.ts';
import { documentRoutes } from './routes/public/document.ts';
import { type HealthDeps, healthRoutes } from './routes/public/health.ts';
import type { Deliverer } from './service/deliverer.ts';
import { createRequestService } from './service/request-service.ts';
import type { OutcomeWaiter } from './spend/answer/await-outcome.ts';
import { createAcceptSpend } from './spend/accept/batch-acceptances.ts';
import { createCancelSpend } from './spend/answer/cancel-spend.ts';
import { createLimitRefusals, type RefusalLimits } from './spend/refuse/limit-refusals.ts';
import { createDenyRequest } from './spend/refuse/refused.ts';
import { createRequestSpend, type SpendDeps } from './spend/request-spend.ts';
import { createNudgeInBackground } from './spend/accept/nudge-in-background.ts';
import { networkIdOf } from './x402/payment-networks.ts';

type AppSettings = {
  readonly dashboardOrigin: string;
  readonly genesisHash: string;
  readonly programId: string;
  /** RPC endpoint that browsers may call. */
  readonly publicRpcUrl: string | null;
  /** With `{kind}` (tx or address) and `{id}`. */
  readonly explorerUrl: string | null;
  readonly cookieSecret: string;
  readonly apiKeyPepper: string;
  /** Name of the chain as wallets know it, and the prefix of its agents' keys. */
  readonly cluster: Network['cluster'];
  readonly keyPrefix: KeyPrefix;
  readonly signInPerMinute: number;
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  readonly pendingLimits: PendingLimits;
  readonly refusalLimits: RefusalLimits;
  readonly budgets: Budgets;
  /** Whether agents get the routes beyond the interface, such as the catalog of services. */
  readonly agentExtensions: boolean;
  /** Origins on this machine that a webhook may have: for tests and the embedded system. */
  readonly loopbackOrigins: readonly string[];
  /** How many proxies in front of the api may name the caller's address; 0 without a proxy. */
  readonly trustedProxies: number;
};

type AppDeps = {
  readonly settings: AppSettings;
  readonly db: Database;
  readonly chain: ChainAccess;
  readonly nudge: (walletId: string) => Promise<void>;
  readonly waiter: OutcomeWaiter;
  /** HTTP client for services; the deliverer sends them proofs of payment. */
  readonly egress: Egress;
  readonly deliverer: Deliverer;
  /** The tokens of the rate limits. */
  readonly limitStore: LimitStore;
  readonly metrics: Metrics;
  readonly health: HealthDeps;
  readonly logger: FastifyBaseLogger;
  readonly nowMs: () => number;
};

/** The application: its server and its routes, without the process around it. */
export function createApp(deps: AppDeps): FastifyInstance {
  const { settings, logger, metrics, health } = deps;
  const { trustedProxies } = settings;
  const app = createServer({ logger, trustedProxies, isDraining: health.isDraining });
  measureRequests(app, metrics.http);
  const describe = collectRoutes(app, packageJson.version);
  app.register(documentRoutes(describe));
  app.register(healthRoutes(health));
  // One for all routes, so that they share what this copy keeps.
  const buckets = requestBuckets('requests of a session', settings, deps.limitStore);
  const agents = createAgentAuth({
    db: deps.db,
    pepper: settings.apiKeyPepper,
    keyPrefix: settings.keyPrefix,
    buckets,
  });
  app.register(ownerRoutes(deps, agents));
  app.register(agentRoutes(deps, agents));
  return app;
}

/** Routes that the owner's page calls, with a cookie; one of them is for agents too. */
function ownerRoutes({ settings, db, chain, limitStore, nowMs }: AppDeps, agents: AgentAuth) {
  const { dashboardOrigin, cluster, keyPrefix, apiKeyPepper: pepper } = settings;
  const tokens = createOwnerTokens(settings.cookieSecret, () => new Date(nowMs()));
  const buckets = requestBuckets('requests of an owner', settings, limitStore);
  const owners = createOwnerAuth({ db, tokens, buckets, dashboardOrigin });
  const ownerDeps = { db, owners, chain, cluster, keyPrefix, pepper, nowMs };
  return async (app: FastifyInstance) => {
    app.register(cookie);
    allowDashboard(app, dashboardOrigin);
    app.register(configRoutes(publicConfigOf(settings, chain)));
    app.register(
      authRoutes({
        db,
        site: { dashboardOrigin, cluster },
        tokens,
        owners,
        limitNonce: signInLimit('nonces of an address', settings, limitStore),
        limitSignIn: signInLimit('sign-ins of an address', settings, limitStore),
      }),
    );
    app.register(spendsRoutes({ db, callers: createCallerAuth(owners, agents) }));
    app.register(async (authenticated) => {
      authenticated.addHook('onRequest', owners.authenticate);
      authenticated.register(walletRoutes(ownerDeps));
      authenticated.register(walletChangeRoutes(ownerDeps));
      authenticated.register(walletYieldRoutes(ownerDeps));
      authenticated.register(policyRoutes(ownerDeps));
      authenticated.register(sessionRoutes(ownerDeps));
      authenticated.register(sessionChangeRoutes(ownerDeps));
      authenticated.register(blastRadiusRoutes(ownerDeps));
      authenticated.register(auditRoutes(ownerDeps));
      const { loopbackOrigins } = settings;
      authenticated.register(webhookRoutes({ ...ownerDeps, loopbackOrigins }));
      authenticated.register(webhookDeliveryRoutes({ ...ownerDeps, loopbackOrigins }));
    });
  };
}

/** Routes that agents call, with a bearer key. */
function agentRoutes(deps: AppDeps, agents: AgentAuth) {
  const { settings, db, chain, nudge, waiter, egress, deliverer, metrics, logger, nowMs } = deps;
  const onFault = (error: unknown): void =>
    logger.error({ err: error }, 'fault while waiting for an outcome');
  const limitRefusals = createLimitRefusals(settings.refusalLimits, deps.limitStore);
  const spendDeps: SpendDeps = {
    db,
    chain,
    nudge: createNudgeInBackground(nudge, onFault),
    waiter,
    pendingLimits: settings.pendingLimits,
    budgets: settings.budgets,
    acceptSpend: createAcceptSpend(db),
    cancelSpend: createCancelSpend(db),
    denyRequest: createDenyRequest({ db, limitRefusals }),
    limitRefusals,
    onNotAccepted: metrics.notAccepted,
    nowMs,
    onFault,
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
    const spending = { db, agents, chain, requestSpend, metrics, nowMs };
    app.register(spendRoutes(spending));
    app.register(yieldRoutes(spending));
    app.register(serviceRoutes({ db, agents, chain, requestService, metrics, nowMs }));
    if (settings.agentExtensions) {
      app.register(servicesRoutes({ db, agents }));
      app.register(agentLimitRoutes({ db, agents, chain, nowMs }));
    }
  };
}

function publicConfigOf(settings: AppSettings, chain: ChainAccess): PublicConfig {
  return {
    api_version: packageJson.version,
    cluster: settings.cluster,
    genesis_hash: settings.genesisHash,
    program_id: settings.programId,
    usdc_mint: chain.usdcMint,
    rpc_url: settings.publicRpcUrl,
    explorer_url: settings.explorerUrl,
    yield_enabled: chain.yieldReserve !== null,
    agent_extensions: settings.agentExtensions,
  };
}

/** Per key or per owner. */
function requestBuckets(name: string, settings: AppSettings, store: LimitStore): TokenBuckets {
  const { ratePerSecond: perSecond, rateBurst: burst } = settings;
  return createSharedBuckets({ name, perSecond, burst }, store);
}

/** Per address. */
function signInLimit(
  name: string,
  { signInPerMinute: burst }: AppSettings,
  store: LimitStore,
): RateLimiter {
  return createRateLimiter({ name, perSecond: burst / 60, burst }, store);
}
