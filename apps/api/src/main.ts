import {
  createBlockhashSource,
  createOwnerTransactions,
  createWalletProgram,
  openRpcPool,
} from '@agent-wallet/chain';
import { claimDeployment, createDatabase, createListener } from '@agent-wallet/db';
import { createLogger, exitOnFault, startLoop, untilSignal } from '@agent-wallet/process';
import { openLaneQueue } from '@agent-wallet/queue';
import { findSpends, SPEND_SETTLED } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { createAccountsReader } from './accounts-reader.ts';
import { createApp } from './app.ts';
import { createChainAccess } from './chain-access.ts';
import { networkOf } from './network.ts';
import { parseConfig } from './config.ts';
import { createMetrics } from './metrics.ts';
import { createEgress } from './proxy/egress.ts';
import { createDeliverer } from './service/deliverer.ts';
import { createSettlementWaiter } from './spend/await-settlement.ts';
import { yieldReserveOf } from './yield/yield-reserve.ts';

const RPC_TIMEOUT_MS = 5_000;

exitOnFault('api');
const config = parseConfig(process.env);
const log = createLogger({ name: 'api', level: config.LOG_LEVEL });
const stack = new AsyncDisposableStack();
const warn = (error: unknown): void => log.warn({ err: error }, 'connection trouble');

const metrics = createMetrics();
const pool = stack.use(
  await openRpcPool({
    urls: config.RPC_URL,
    timeoutMs: RPC_TIMEOUT_MS,
    onCall: metrics.rpcCalled,
    onHealth: metrics.rpcEndpoint,
  }),
);
const { rpc, genesisHash } = pool;
const program = createWalletProgram({ programId: config.PROGRAM_ID, usdcMint: config.USDC_MINT });
const db = await createDatabase({
  url: config.DATABASE_URL,
  poolSize: config.PG_POOL_SIZE,
  onConnectionError: warn,
});
stack.defer(() => db.end());
await claimDeployment(
  db,
  { genesisHash, programId: program.programId, usdcMint: program.usdcMint },
  { allowMainnet: config.ALLOW_MAINNET },
);

const queue = await openLaneQueue(
  { databaseUrl: config.DATABASE_URL, redisUrl: config.REDIS_URL },
  warn,
);
stack.defer(() => queue.close());
const blockhashes = stack.use(createBlockhashSource({ rpc, refreshMs: 5_000, maxAgeMs: 15_000 }));
const chain = createChainAccess({
  checkReachable: async () => void (await blockhashes.current()),
  program,
  yieldReserve: yieldReserveOf(config.YIELD_ENABLED, genesisHash),
  transactions: createOwnerTransactions(program, () => blockhashes.current()),
  readAccounts: createAccountsReader(
    (addresses) => rpc.accounts(addresses, { commitment: 'confirmed' }),
    config.BALANCE_WINDOW_MS,
  ),
});
const waiter = createSettlementWaiter({
  findSpends: (spendIds) => findSpends(db, spendIds),
  onFault: warn,
});
const listener = createListener({
  url: config.DATABASE_URL,
  channel: SPEND_SETTLED,
  onNotify: waiter.notified,
});
stack.defer(() => listener.close());

const egress = createEgress({
  loopbackOrigins: config.LOOPBACK_SERVICES,
  onFailed: (fault) => log.warn(fault, 'service not reached'),
});
const deliverer = createDeliverer({ db, egress, metrics, onFault: warn });
stack.defer(() => deliverer.drain());
const sweep = startLoop({ run: deliverer.sweep, onError: warn });
stack.defer(() => sweep.close());
const drain = new AbortController();
const app = createApp({
  settings: {
    dashboardOrigin: config.DASHBOARD_ORIGIN,
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
    agentExtensions: config.AGENT_EXTENSIONS,
    trustedProxies: config.TRUSTED_PROXIES,
  },
  db,
  chain,
  nudge: queue.nudge,
  waiter,
  egress,
  deliverer,
  metrics,
  health: {
    checks: {
      database: () => db.oneFirst(sql.unsafe`select 1`),
      queue: () => queue.waiting(),
      rpc: () => blockhashes.current(),
    },
    isDraining: () => drain.signal.aborted,
  },
  logger: log,
  nowMs: Date.now,
});
// Closed first: open requests are answered within their own deadline, then the rest goes away.
stack.defer(() => app.close());
const address = await app.listen({ host: config.HOST, port: config.PORT });
log.info({ address }, 'ready');

const signal = await untilSignal();
log.info({ signal }, 'draining');
drain.abort();
await stack.disposeAsync();
log.info('stopped');
