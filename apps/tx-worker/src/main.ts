import {
  checkDeployment,
  checkMainnet,
  createBlockhashSource,
  createRpcEndpointMetrics,
  createRpcMetrics,
  createWalletProgram,
  openRpcPool,
  reserveOnChain,
} from '@agent-wallet/chain';
import { claimDeployment, createDatabase, pingDatabase } from '@agent-wallet/db';
import { openKeystore } from '@agent-wallet/keystore';
import {
  createLogger,
  exitOnFault,
  queueTargetOf,
  rpcLimitsOf,
  serveHealth,
  startLoop,
  tracingOf,
  untilSignal,
} from '@agent-wallet/process';
import { createLeadership } from '@agent-wallet/leadership';
import { openLaneQueue, openLaneWorker } from '@agent-wallet/queue';
import { vaultAccessOf } from '@agent-wallet/signer';
import { openTracing } from '@agent-wallet/tracing';
import { parseConfig } from './config.ts';
import { createTxWorker, RPC_TIMEOUT_MS } from './create-tx-worker.ts';
import { createMeasureQueue, createMeasureSessionKeys } from './measure.ts';
import { createMetrics } from './metrics.ts';
import { openFeePayers } from './sign/open-fee-payers.ts';

const DRAIN_MS = 8_000;

exitOnFault('tx-worker');
const config = parseConfig(process.env);
const log = createLogger({ name: 'tx-worker', level: config.LOG_LEVEL });
const stack = new AsyncDisposableStack();

stack.use(
  await openTracing({
    service: 'tx-worker',
    ...tracingOf(config),
    onLost: () => log.warn('traces could not be exported'),
  }),
);
const metrics = createMetrics();
const pool = stack.use(
  await openRpcPool({
    urls: config.RPC_URL,
    timeoutMs: RPC_TIMEOUT_MS,
    limits: rpcLimitsOf(config),
    onCall: createRpcMetrics(metrics.registry),
    onHealth: createRpcEndpointMetrics(metrics.registry),
  }),
);
const { rpc } = pool;
await checkDeployment(rpc, { programId: config.PROGRAM_ID, usdcMint: config.USDC_MINT });
await checkMainnet(pool, config);
const program = createWalletProgram({ programId: config.PROGRAM_ID, usdcMint: config.USDC_MINT });
const warn = (error: unknown): void => log.warn({ err: error }, 'connection trouble');
const db = await createDatabase({
  url: config.DATABASE_URL,
  poolSize: config.PG_POOL_SIZE,
  prepare: config.DATABASE_PREPARE,
  onConnectionError: warn,
  registry: metrics.registry,
});
stack.defer(() => db.end());
await claimDeployment(
  db,
  {
    genesisHash: pool.genesisHash,
    programId: program.programId,
    usdcMint: program.usdcMint,
  },
  { allowMainnet: config.ALLOW_MAINNET },
);

const target = queueTargetOf(config);
const queue = await openLaneQueue(target, warn);
stack.defer(() => queue.close());
const blockhashes = stack.use(
  // The first spend after a pause finds a young one: a cluster with short slots soon forgets it.
  createBlockhashSource({ rpc, refreshMs: 2_000, maxAgeMs: 20_000, idleRefreshMs: 3_000 }),
);
const vault = vaultAccessOf(config.VAULT_ADDR, config.VAULT_TOKEN);
const keystore = await openKeystore({
  db,
  key: config.KEYSTORE_KEY,
  otherKeys: config.KEYSTORE_OTHER_KEYS,
  vault,
});
const feePayers = await openFeePayers(config, vault);
const reserve = reserveOnChain(pool.genesisHash);
const worker = createTxWorker(config, {
  db,
  rpc,
  sendToAll: pool.sendToAll,
  program,
  reserve,
  blockhashes,
  keystore,
  feePayers,
  nudge: queue.nudge,
  log,
  metrics,
});

const onError = (error: unknown): void => log.error({ err: error }, 'pass failed');
const monotonicMs = (): number => performance.now();
const leadership = createLeadership({ db, registry: metrics.registry, log, monotonicMs });
stack.defer(() => leadership.close());
leadership.lead('session_keys', { run: worker.refillSessionKeys, onError });
// Each copy needs its own balances and fees, and sweeps: its own nudges may be the only ones to arrive.
const passes = [
  worker.resealSessionKeys,
  worker.refreshFeePayers,
  worker.refreshPriorityFees,
  worker.sweepQueued,
  createMeasureQueue({ queue, metrics }),
  createMeasureSessionKeys({ db, metrics }),
];
for (const run of passes) {
  const loop = startLoop({ run, onError });
  stack.defer(() => loop.close());
}
stack.defer(worker.drainSends);
const laneWorker = await openLaneWorker({
  target,
  concurrency: config.LANE_CONCURRENCY,
  runWallet: worker.runWallet,
  onError: warn,
});
stack.defer(() => laneWorker.close(DRAIN_MS));
const health = await serveHealth({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  registry: metrics.registry,
  checkReady: async () => {
    await blockhashes.current();
    await queue.waiting();
    await pingDatabase(db);
  },
});
stack.defer(() => health.close());
log.info({ port: health.port }, 'ready');

const signal = await untilSignal();
log.info({ signal }, 'draining');
await stack.disposeAsync();
log.info('stopped');
