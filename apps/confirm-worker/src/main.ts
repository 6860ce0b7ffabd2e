import {
  checkDeployment,
  checkMainnet,
  createRpcEndpointMetrics,
  createRpcMetrics,
  createSend,
  createWalletProgram,
  openRpcPool,
  socketUrlOf,
} from '@agent-wallet/chain';
import { claimDeployment, createDatabase, createListener, pingDatabase } from '@agent-wallet/db';
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
import { openLaneQueue } from '@agent-wallet/queue';
import { ATTEMPT_STORED, LOOK_NOW } from '@agent-wallet/spend';
import { openTracing } from '@agent-wallet/tracing';
import { parseConfig } from './config.ts';
import { createConfirmWorker } from './create-confirm-worker.ts';
import { resetCaps } from './measure-caps.ts';
import { createMetrics } from './metrics.ts';
import { createFollowPace } from './follow/follow-pace.ts';
import { createLandingHints } from './watch/landing-hints.ts';
import { listenToNodes } from './watch/listen-to-nodes.ts';
import { createWatchPace } from './watch/watch-pace.ts';
import { openWebhooks } from './webhooks/open-webhooks.ts';

const RPC_TIMEOUT_MS = 5_000;

exitOnFault('confirm-worker');
const config = parseConfig(process.env);
const log = createLogger({ name: 'confirm-worker', level: config.LOG_LEVEL });
const stack = new AsyncDisposableStack();

stack.use(
  await openTracing({
    service: 'confirm-worker',
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
const deployment = { programId: config.PROGRAM_ID, usdcMint: config.USDC_MINT };
await checkDeployment(pool.rpc, deployment);
await checkMainnet(pool, config);
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
  { ...deployment, genesisHash: pool.genesisHash },
  { allowMainnet: config.ALLOW_MAINNET },
);
const queue = await openLaneQueue(queueTargetOf(config), warn);
stack.defer(() => queue.close());

const program = createWalletProgram(deployment);
const monotonicMs = (): number => performance.now();
const hints = createLandingHints(metrics, () => {
  watch.wake();
  if (followPace.quicken()) follow.wake();
});
const worker = createConfirmWorker({
  db,
  pool,
  send: createSend({ sendRaw: pool.sendToAll }, program),
  program,
  nudge: queue.nudge,
  hints,
  monotonicMs,
  log,
  metrics,
});
const onError = (error: unknown): void => log.error({ err: error }, 'pass failed');

const pace = createWatchPace({ monotonicMs, areHintsLive: hints.areLive });
const watch = startLoop({
  run: async () => pace.delayMsAfter(await worker.watchSignatures()),
  onError,
});
stack.defer(() => watch.close());
const leadership = createLeadership({ db, registry: metrics.registry, log, monotonicMs });
stack.defer(() => leadership.close());
const followPace = createFollowPace({ monotonicMs, areHintsLive: hints.areLive });
const follow = leadership.lead('follow', {
  run: async (term) => followPace.delayMsAfter(await worker.followProgram(term)),
  onError,
});
leadership.lead('finality', { run: worker.finalizeLandings, onError });
leadership.lead('guard', {
  run: worker.guardRecovery,
  onError,
  onStoodDown: () => metrics.isIntakeClosed.set(0),
});
leadership.lead('measure_caps', {
  run: worker.measureCaps,
  onError,
  onStoodDown: () => resetCaps(metrics),
});
const listener = createListener({
  url: config.DATABASE_URL,
  channel: ATTEMPT_STORED,
  onNotify: (payload) => (pace.quicken() || payload === LOOK_NOW) && watch.wake(),
});
stack.defer(() => listener.close());
stack.use(
  listenToNodes({
    urls: config.WS_URL ?? config.RPC_URL.map(socketUrlOf),
    programId: config.PROGRAM_ID,
    hints,
    log,
  }),
);
const head = startLoop({ run: worker.measureHead, onError });
stack.defer(() => head.close());
stack.use(
  await openWebhooks({
    db,
    rpc: pool.rpc,
    lead: leadership.lead,
    key: config.WEBHOOK_KEY,
    loopbackOrigins: config.LOOPBACK_SERVICES,
    metrics,
    log,
  }),
);
const health = await serveHealth({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  registry: metrics.registry,
  checkReady: async () => {
    await pool.rpc.slot('confirmed');
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
