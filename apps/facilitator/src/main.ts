import {
  checkDeployment,
  checkMainnet,
  createRpcEndpointMetrics,
  createRpcMetrics,
  createWalletProgram,
  openRpcPool,
} from '@agent-wallet/chain';
import {
  createLogger,
  exitOnFault,
  rpcLimitsOf,
  serveHealth,
  startLoop,
  untilSignal,
} from '@agent-wallet/process';
import { createFeePayerWatch } from './chain/watch-fee-payers.ts';
import { paymentNetworkOf } from './chain/payment-network.ts';
import { parseConfig } from './config.ts';
import { createServer } from './http/create-server.ts';
import { createMetrics } from './metrics.ts';
import { createFacilitator } from './payment/create-facilitator.ts';

exitOnFault('facilitator');
const config = parseConfig(process.env);
const log = createLogger({ name: 'facilitator', level: config.LOG_LEVEL });
const stack = new AsyncDisposableStack();

const metrics = createMetrics();
const pool = stack.use(
  await openRpcPool({
    urls: config.RPC_URL,
    timeoutMs: config.RPC_TIMEOUT_MS,
    limits: rpcLimitsOf(config),
    onCall: createRpcMetrics(metrics.registry),
    onHealth: createRpcEndpointMetrics(metrics.registry),
  }),
);
const deployment = { programId: config.PROGRAM_ID, usdcMint: config.USDC_MINT };
await checkDeployment(pool.rpc, deployment);
await checkMainnet(pool, config);
const network = paymentNetworkOf(pool.genesisHash, { allowMainnet: config.ALLOW_MAINNET });

const feePayers = createFeePayerWatch({
  addresses: config.FEE_PAYER_KEYS.map(({ publicKey }) => publicKey.toBase58()),
  floorLamports: BigInt(config.FEE_PAYER_FLOOR_LAMPORTS),
  rpc: pool.rpc,
  log,
  metrics,
});
const loop = startLoop({
  run: feePayers.run,
  onError: (error) => log.error({ err: error }, 'pass failed'),
});
stack.defer(() => loop.close());
const app = await createServer({
  facilitator: await createFacilitator({
    program: createWalletProgram(deployment),
    pool,
    rpcUrls: config.RPC_URL,
    rpcTimeoutMs: config.RPC_TIMEOUT_MS,
    feePayers: config.FEE_PAYER_KEYS,
    limits: {
      network,
      maxFeeLamports: BigInt(config.MAX_FEE_LAMPORTS),
      minAmount: BigInt(config.MIN_AMOUNT),
    },
    settleWaitMs: config.SETTLE_WAIT_MS,
  }),
  callerKeys: config.CALLER_KEYS,
  ratePerSecond: config.RATE_PER_SECOND,
  concurrentSettles: config.CONCURRENT_SETTLES,
  bodyLimitBytes: config.BODY_LIMIT_BYTES,
  requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
  trustedProxies: config.TRUSTED_PROXIES,
  log,
  metrics,
});
// Closed first: payments that settle get their responses.
stack.defer(() => app.close());
const address = await app.listen({ host: config.HOST, port: config.PORT });
const health = await serveHealth({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  registry: metrics.registry,
  checkReady: async () => {
    await pool.rpc.slot('confirmed');
    if (!feePayers.canPay()) throw new Error('every fee payer is below FEE_PAYER_FLOOR_LAMPORTS');
  },
});
stack.defer(() => health.close());
log.info({ address, network }, 'ready');

const signal = await untilSignal();
log.info({ signal }, 'draining');
await stack.disposeAsync();
log.info('stopped');
