/** The parts that processes share: settings, log, health and metrics server, loops, signals. */
export { createLogger, type Logger } from './logger.ts';
export { type HealthServer, serveHealth } from './health-server.ts';
export { type Loop, startLoop } from './loop.ts';
export { createLabelledCounter, type LabelledCounter } from './metrics/labelled-counter.ts';
export { createProcessRegistry } from './metrics/process-registry.ts';
export { endsWithin } from './ends-within.ts';
export { exitOnFault } from './exit-on-fault.ts';
export { type Contradiction, parseSettings, SettingsError } from './parse-settings.ts';
export {
  address,
  commonContradictions,
  commonSettings,
  healthSettings,
  listenSettings,
  logLevel,
  loopbackOnMainnet,
  loopbackServices,
  optionalWholeNumber,
  poolSize,
  queueTargetOf,
  rpcLimitsOf,
  socketUrls,
  tracingOf,
  tracingSettings,
  wholeNumber,
} from './settings.ts';
export { parseRedisUrl, type RedisAddress } from './redis-url.ts';
export { untilSignal } from './signals.ts';
