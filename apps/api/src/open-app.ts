import {
  type BlockhashSource,
  checkDeployment,
  checkMainnet,
  createBlockhashSource,
  createOwnerTransactions,
  createSharedAccounts,
  createWalletProgram,
  openRpcPool,
} from '@agent-wallet/chain';
import { claimDeployment, createDatabase, createListener, type Database } from '@agent-wallet/db';
import {
  type Logger,
  queueTargetOf,
  rpcLimitsOf,
  startLoop,
  tracingOf,
} from '@agent-wallet/process';
import { openLaneQueue } from '@agent-wallet/queue';
import { findSpends, SPEND_SETTLED } from '@agent-wallet/spend';
import { openTracing } from '@agent-wallet/tracing';
import type { FastifyInstance } from 'fastify';
import { sql } from 'slonik';
import { createApp } from './app.ts';
import { type ChainAccess, createChainAccess } from './chain/chain-access.ts';
import type { Config } from './config.ts';
import { createCopyCount } from './limits/count-copies.ts';
import { createPostgresStore } from './limits/postgres-store.ts';
import type { LimitStore } from './limits/shared-buckets.ts';
import type { Metrics } from './metrics.ts';
import { networkOf } from './chain/network.ts';
import { createEgress } from '@agent-wallet/egress';
import { createDeliverer } from './service/deliverer.ts';
import { createSweepAnswers } from './service/sweep-answers.ts';
import { createOutcomeWaiter, type OutcomeWaiter } from './spend/answer/await-outcome.ts';
import { yieldReserveOf } from './chain/yield-reserve.ts';

const RPC_TIMEOUT_MS = 5_000;

type Surroundings = {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Closes what this function opens, in reverse order. */
  readonly stack: AsyncDisposableStack;
  readonly isDraining: () => boolean;
};

/**
 * Opens the application's resources and creates it. Throws SERVER_MISCONFIGURED or CHAIN_MISMATCH
 * when settings, chain and database do not fit together, and RPC_UNAVAILABLE without a chain.
 */
export async function openApp(surroundings: Surroundings): Promise<FastifyInstance> {
  const { config, log, metrics, stack, isDraining } = surroundings;
  const onFault = (error: unknown): void => log.warn({ err: error }, 'connection trouble');
  stack.use(
    await openTracing({
      service: 'api',
      ...tracingOf(config),
      onLost: () => log.warn('traces could not be exported'),
    }),
  );
  const { db, genesisHash, blockhashes, chain } = await openChainAndStore(surroundings);
  const queue = await openLaneQueue(queueTargetOf(config), onFault);
  stack.defer(() => queue.close());
  const waiter = openWaiter(surroundings, db);
  const egress = createEgress({
    loopbackOrigins: config.LOOPBACK_SERVICES,
    onFailed: (fault) => log.warn(fault, 'service not reached'),
  });
  const deliverer = createDeliverer({ db, egress, metrics, onFault });
  stack.defer(() => deliverer.drain());
  const sweep = startLoop({ run: deliverer.sweep, onError: onFault });
  stack.defer(() => sweep.close());
  const retention = startLoop({
    run: createSweepAnswers({ db, keptDays: config.ANSWERS_KEPT_DAYS }),
    onError: onFault,
  });
  stack.defer(() => retention.close());
  return createApp({
    settings: settingsOf(config, genesisHash),
    db,
    chain,
    nudge: queue.nudge,
    waiter,
    egress,
    deliverer,
    limitStore: openLimitStore(surroundings, db, metrics),
    metrics,
    health: {
      checks: {
        database: () => db.oneFirst(sql.unsafe`select 1`),
        queue: () => queue.waiting(),
        rpc: () => blockhashes.current(),
      },
      isDraining,
    },
    logger: log,
    nowMs: Date.now,
  });
}

async function openChainAndStore({ config, log, metrics, stack }: Surroundings): Promise<{
  readonly db: Database;
  readonly genesisHash: string;
  readonly blockhashes: BlockhashSource;
  readonly chain: ChainAccess;
}> {
  const pool = stack.use(
    await openRpcPool({
      urls: config.RPC_URL,
      timeoutMs: RPC_TIMEOUT_MS,
      limits: rpcLimitsOf(config),
      onCall: metrics.rpcCalled,
      onHealth: metrics.rpcEndpoint,
    }),
  );
  const { rpc, genesisHash } = pool;
  const deployment = { programId: config.PROGRAM_ID, usdcMint: config.USDC_MINT };
  await checkDeployment(rpc, deployment);
  await checkMainnet(pool, config);
  const db = await createDatabase({
    url: config.DATABASE_URL,
    poolSize: config.PG_POOL_SIZE,
    prepare: config.DATABASE_PREPARE,
    onConnectionError: (error) => log.warn({ err: error }, 'connection trouble'),
    registry: metrics.registry,
  });
  stack.defer(() => db.end());
  await claimDeployment(db, { genesisHash, ...deployment }, { allowMainnet: config.ALLOW_MAINNET });
  const program = createWalletProgram(deployment);
  const blockhashes = stack.use(createBlockhashSource({ rpc, refreshMs: 3_000, maxAgeMs: 6_000 }));
  const chain = createChainAccess({
    checkReachable: async () => void (await blockhashes.current()),
    program,
    yieldReserve: yieldReserveOf(config.YIELD_ENABLED, genesisHash),
    transactions: createOwnerTransactions(program, () => blockhashes.current(), Date.now),
    readAccounts: createSharedAccounts(rpc, { windowMs: config.BALANCE_WINDOW_MS }),
  });
  return { db, genesisHash, blockhashes, chain };
}

function openLimitStore({ log, stack }: Surroundings, db: Database, metrics: Metrics): LimitStore {
  const onFault = (error: unknown): void => log.warn({ err: error }, 'connection trouble');
  const count = createCopyCount(db);
  stack.defer(() => count.leave().catch(onFault));
  const counting = startLoop({ run: count.pass, onError: onFault });
  stack.defer(() => counting.close());
  return {
    take: createPostgresStore(db),
    copies: count.copies,
    nowMs: () => performance.now(),
    onFault: (error) => {
      metrics.limitedAlone();
      log.warn({ err: error }, 'rate limits are not shared: their store is not available');
    },
  };
}

function openWaiter({ config, log, stack }: Surroundings, db: Database): OutcomeWaiter {
  const waiter = createOutcomeWaiter({
    findSpends: (spendIds) => findSpends(db, spendIds),
    onFault: (error) => log.warn({ err: error }, 'connection trouble'),
  });
  const listener = createListener({
    url: config.DATABASE_URL,
    channel: SPEND_SETTLED,
    onNotify: waiter.notified,
  });
  stack.defer(() => listener.close());
  return waiter;
}

function settingsOf(
  config: Config,
  genesisHash: string,
): Parameters<typeof createApp>[0]['settings'] {
  return {
    dashboardOrigin: config.DASHBOARD_ORIGIN,
    genesisHash,
    programId: config.PROGRAM_ID,
    publicRpcUrl: config.PUBLIC_RPC_URL ?? null,
    explorerUrl: config.EXPLORER_URL ?? null,
    cookieSecret: config.COOKIE_SECRET,
    apiKeyPepper: config.API_KEY_PEPPER,
    ...networkOf(genesisHash),
    signInPerMinute: config.SIGN_IN_PER_MINUTE,
    ratePerSecond: config.RATE_PER_SECOND,
    rateBurst: config.RATE_BURST,
    budgets: {
      lamportsPerDay: BigInt(config.FEE_BUDGET_LAMPORTS),
      revertsPerDay: config.REVERTS_PER_DAY,
    },
    pendingLimits: {
      session: config.MAX_PENDING_PER_SESSION,
      wallet: config.MAX_PENDING_PER_WALLET,
    },
    refusalLimits: {
      session: config.SESSION_REFUSALS_PER_HOUR,
      wallet: config.WALLET_REFUSALS_PER_HOUR,
    },
    agentExtensions: config.AGENT_EXTENSIONS,
    loopbackOrigins: config.LOOPBACK_SERVICES,
    trustedProxies: config.TRUSTED_PROXIES,
  };
}
