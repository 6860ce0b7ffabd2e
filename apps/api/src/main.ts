import { createLogger, exitOnFault, serveHealth, untilSignal } from '@agent-wallet/process';
import { parseConfig } from './config.ts';
import { createMetrics } from './metrics.ts';
import { createMisconfiguredApp } from './misconfigured-app.ts';
import { openApp } from './open-app.ts';
import { checkReady } from './routes/public/check-ready.ts';

exitOnFault('api');
const config = parseConfig(process.env);
const log = createLogger({ name: 'api', level: config.LOG_LEVEL });
const stack = new AsyncDisposableStack();
const drain = new AbortController();
const isDraining = (): boolean => drain.signal.aborted;
const metrics = createMetrics();
const app = await openApp({ config, log, metrics, stack, isDraining }).catch((fault: unknown) =>
  createMisconfiguredApp({ fault, logger: log, isDraining }),
);
const health = await serveHealth({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  registry: metrics.registry,
  checkReady: () => checkReady(app),
});
stack.defer(() => health.close());
// Closed first: open requests are answered within their own deadline, then the rest goes away.
stack.defer(() => app.close());
const address = await app.listen({ host: config.HOST, port: config.PORT });
log.info({ address, metricsPort: health.port }, 'listening');

const signal = await untilSignal();
log.info({ signal }, 'draining');
drain.abort();
await stack.disposeAsync();
log.info('stopped');
