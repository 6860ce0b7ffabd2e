import { randomUUID } from 'node:crypto';
import {
  checkDeployment,
  createProgramFeed,
  createSend,
  createWalletProgram,
  openRpcPool,
  type ProgramFeed,
} from '@agent-wallet/chain';
import { claimDeployment, createDatabase, createListener, pingDatabase } from '@agent-wallet/db';
import {
  createLogger,
  createRpcEndpointMetrics,
  createRpcMetrics,
  exitOnFault,
  serveHealth,
  startLoop,
  untilSignal,
} from '@agent-wallet/process';
import { openLaneQueue } from '@agent-wallet/queue';
import { ATTEMPT_STORED } from '@agent-wallet/spend';
import { parseConfig } from './config.ts';
import { createFinalizeLandings } from './finality/finalize-landings.ts';
import { createCatchUp, createFollowProgram } from './follow/follow-program.ts';
import { createGuardRecovery } from './follow/guard-recovery.ts';
import { createJudgeAttempts } from './resolve/resolve-attempts.ts';
import { createMeasureCaps } from './measure-caps.ts';
import { createMetrics } from './metrics.ts';
import { createIsUnused, createRebroadcast } from './watch/rebroadcast.ts';
import { createSettleVerdict } from './resolve/resolve-verdict.ts';
import { createWatchPace } from './watch/watch-pace.ts';
import { createWatchSignatures } from './watch/watch-signatures.ts';

const RPC_TIMEOUT_MS = 5_000;
const FEED_BATCH = 100;
const FEED_OVERLAP_SLOTS = 64n;

exitOnFault('confirm-worker');
const config = parseConfig(process.env);
const log = createLogger({ name: 'confirm-worker', level: config.LOG_LEVEL });
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

const onError = (error: unknown): void => log.error({ err: error }, 'pass failed');

const writing = { db, nudge: queue.nudge, log, metrics };

const pace = createWatchPace(() => performance.now());
const watchSignatures = createWatchSignatures({
  ...writing,
  watcher: randomUUID(),
  judge: createJudgeAttempts({ pool, program, metrics }),
  settleVerdict: createSettleVerdict({
    pool,
    program,
    log,
    metrics,
    monotonicMs: () => performance.now(),
  }),
  rebroadcast: createRebroadcast({
    db,
    send: createSend({ sendRaw: pool.sendToAll }, program),
    isUnused: createIsUnused(rpc, program),
    metrics,
  }),
});
const watch = startLoop({
  run: async () => pace.delayMsAfter(await watchSignatures()),
  onError,
});
stack.defer(() => watch.close());
const listener = createListener({
  url: config.DATABASE_URL,
  channel: ATTEMPT_STORED,
  onNotify: () => {
    if (pace.quicken()) watch.wake();
  },
});
stack.defer(() => listener.close());
const finalize = startLoop({
  run: createFinalizeLandings({ rpc, program, ...writing }),
  onError,
});
stack.defer(() => finalize.close());
const createFeed = (): ProgramFeed =>
  createProgramFeed({
    readOnOne: pool.read,
    program,
    batchSize: FEED_BATCH,
    overlapSlots: FEED_OVERLAP_SLOTS,
  });
const follow = startLoop({
  run: createFollowProgram({ feed: createFeed(), ...writing }),
  onError,
});
stack.defer(() => follow.close());
const guard = startLoop({
  run: createGuardRecovery({
    db,
    rpc,
    program,
    catchUp: createCatchUp({ createFeed, ...writing }),
    log,
    metrics,
  }),
  onError,
});
stack.defer(() => guard.close());
const measure = startLoop({ run: createMeasureCaps({ db, metrics }), onError });
stack.defer(() => measure.close());
const health = await serveHealth({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  registry: metrics.registry,
  checkReady: async () => {
    await rpc.heightAndSlot('confirmed');
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
