import { createLogger, exitOnFault, untilSignal } from '@agent-wallet/process';
import { parseConfig } from './config.ts';
import { createMisconfiguredApp } from './misconfigured-app.ts';
import { openApp } from './open-app.ts';

exitOnFault('api');
const config = parseConfig(process.env);
const log = createLogger({ name: 'api', level: config.LOG_LEVEL });
const stack = new AsyncDisposableStack();
const drain = new AbortController();
const isDraining = (): boolean => drain.signal.aborted;
const app = await openApp({ config, log, stack, isDraining }).catch((fault: unknown) =>
  createMisconfiguredApp({ fault, logger: log, isDraining }),
);
// Closed first: open requests are answered within their own deadline, then the rest goes away.
stack.defer(() => app.close());
const address = await app.listen({ host: config.HOST, port: config.PORT });
log.info({ address }, 'listening');

const signal = await untilSignal();
log.info({ signal }, 'draining');
drain.abort();
await stack.disposeAsync();
log.info('stopped');
