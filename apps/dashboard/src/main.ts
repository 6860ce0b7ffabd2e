import { createLogger, exitOnFault, untilSignal } from '@agent-wallet/process';
import { BUILD_DIRECTORY } from './build/build-directory.ts';
import { readBuiltPage } from './built-page.ts';
import { pageSettingsOf, parseConfig } from './config.ts';
import { servePages } from './serve-pages.ts';

exitOnFault('dashboard');
const config = parseConfig(process.env);
const log = createLogger({ name: 'dashboard', level: config.LOG_LEVEL });
const { HOST: host, PORT: port } = config;
const built = await readBuiltPage(BUILD_DIRECTORY);
const server = await servePages({ host, port, settings: pageSettingsOf(config), built });
log.info({ port: server.port }, 'ready');

const signal = await untilSignal();
log.info({ signal }, 'draining');
await server.close();
log.info('stopped');
