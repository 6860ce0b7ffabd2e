import { createLogger, exitOnFault, untilSignal } from '@agent-wallet/process';
import { parseConfig } from './config.ts';
import { servePages } from './serve-pages.ts';

exitOnFault('dashboard');
const config = parseConfig(process.env);
const log = createLogger({ name: 'dashboard', level: config.LOG_LEVEL });
const { HOST: host, PORT: port, API_URL: apiUrl } = config;
const server = await servePages({ host, port, apiUrl });
log.info({ port: server.port }, 'ready');

const signal = await untilSignal();
log.info({ signal }, 'draining');
await server.close();
log.info('stopped');
