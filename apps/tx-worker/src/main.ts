import {
  checkDeployment,
  createBlockhashSource,
  createPriorityFees,
  createSend,
  createWalletProgram,
  openRpcPool,
  reserveOnChain,
} from '@agent-wallet/chain';
import { claimDeployment, createDatabase, pingDatabase } from '@agent-wallet/db';
import { openKeystore } from '@agent-wallet/keystore';
import {
  createLogger,
  createRpcEndpointMetrics,
  createRpcMetrics,
  exitOnFault,
  serveHealth,
  startLoop,
  untilSignal,
} from '@agent-wallet/process';
import { openLaneQueue, openLaneWorker } from '@agent-wallet/queue';
import { parseConfig } from './config.ts';
import { createFeePayers } from './sign/fee-payers.ts';
import { createMetrics } from './metrics.ts';
import { createReadChainView } from './lane/pipeline.ts';
import { createPrepareSpend } from './sign/prepare-spend.ts';
import { createRunLane } from './lane/run-lane.ts';
import { createSimulatePayment } from './sign/simulate-payment.ts';
import { createDetectRestore } from './lane/detect-restore.ts';
import { createIsSessionAbsent } from './lane/session-absent.ts';
import { createSubmitSpend } from './lane/submit-spend.ts';
import { createSweepQueued } from './lane/sweep-queued.ts';

/** Below the lane's lease of 10 s, with room for the SQL around it. */
const RPC_TIMEOUT_MS = 4_000;
const DRAIN_MS = 8_000;
const REFILL_EVERY_MS = 1_000;
const BALANCES_EVERY_MS = 10_000;
const PRIORITY_FEE_FRESH_MS = 5_000;
const PRIORITY_FEE_WAIT_MS = 500;

exitOnFault('tx-worker');
const config = parseConfig(process.env);
const log = createLogger({ name: 'tx-worker', level: config.LOG_LEVEL });
const stack = new AsyncDisposableStack();

const metrics = createMetrics();
const pool = stack.use(
  await openRpcPool({
    urls: config.RPC_URL,
    timeoutMs: RPC_TIMEOUT_MS,
    onCall: createRpcMetrics(metrics.registry),
    onHealth: createRpcEndpointMetrics(metrics.registry),
  }),
);
const { rpc } = pool;
await checkDeployment(rpc, { programId: config.PROGRAM_ID, usdcMint: config.USDC_MINT });
const program = createWalletProgram({ programId: config.PROGRAM_ID, usdcMint: config.USDC_MINT });
const warn = (error: unknown): void => log.warn({ err: error }, 'connection trouble');
const db = await createDatabase({
  url: config.DATABASE_URL,
  poolSize: config.PG_POOL_SIZE,
  onConnectionError: warn,
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

const target = { databaseUrl: config.DATABASE_URL, redisUrl: config.REDIS_URL };
const queue = await openLaneQueue(target, warn);
stack.defer(() => queue.close());
const blockhashes = stack.use(createBlockhashSource({ rpc, refreshMs: 2_000, maxAgeMs: 20_000 }));
const keystore = await openKeystore({ db, key: config.KEYSTORE_KEY });
const feePayers = createFeePayers({
  keys: config.FEE_PAYER_KEYS,
  floorLamports: BigInt(config.FEE_PAYER_FLOOR_LAMPORTS),
  rpc,
  log,
  metrics,
});
const isSessionAbsent = createIsSessionAbsent(rpc, program);
const prepare = createPrepareSpend({
  rpc,
  program,
  reserve: reserveOnChain(pool.genesisHash),
  blockhashes,
  keystore,
  feePayerOf: feePayers.payerOf,
  isOurFeePayer: feePayers.has,
  simulatePayment: createSimulatePayment({ rpc, program, isSessionAbsent }),
  priorityFees: createPriorityFees({
    rpc,
    floor: BigInt(config.PRIORITY_FEE_FLOOR),
    capLamports: BigInt(config.PRIORITY_FEE_CAP_LAMPORTS),
    freshMs: PRIORITY_FEE_FRESH_MS,
    waitMs: PRIORITY_FEE_WAIT_MS,
  }),
  computeUnitLimit: config.COMPUTE_UNIT_LIMIT,
});
const submit = createSubmitSpend({
  db,
  send: createSend(rpc, program),
  isSessionAbsent,
  metrics,
});
const runLane = createRunLane({
  detectRestore: createDetectRestore({ db, rpc, log, metrics }),
  readChainView: createReadChainView(rpc, program),
  db,
  nudge: queue.nudge,
  prepare,
  submit,
  sendMs: RPC_TIMEOUT_MS,
  depth: config.LANE_DEPTH,
  nowMs: Date.now,
  log,
  metrics,
});

const onLoopError = (error: unknown): void => log.error({ err: error }, 'pass failed');
const refill = startLoop({
  run: async () => {
    metrics.sessionKeysMade.inc(await keystore.refill(config.SESSION_KEYS_AHEAD));
    return REFILL_EVERY_MS;
  },
  onError: onLoopError,
});
stack.defer(() => refill.close());
const balances = startLoop({
  run: async () => {
    await feePayers.refresh();
    return BALANCES_EVERY_MS;
  },
  onError: onLoopError,
});
stack.defer(() => balances.close());
const sweep = startLoop({
  run: createSweepQueued({ db, nudge: queue.nudge, metrics }),
  onError: onLoopError,
});
stack.defer(() => sweep.close());
const worker = await openLaneWorker({
  target,
  concurrency: config.LANE_CONCURRENCY,
  runLane,
  onError: warn,
});
stack.defer(() => worker.close(DRAIN_MS));
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
