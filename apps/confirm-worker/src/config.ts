import {
  commonContradictions,
  commonSettings,
  type Contradiction,
  healthSettings,
  loopbackOnMainnet,
  loopbackServices,
  parseSettings,
  poolSize,
  socketUrls,
  tracingSettings,
} from '@agent-wallet/process';
import { z } from 'zod';

/**
 * The confirm-worker's settings with their descriptions.
 *
 * @internal exported for `npm run settings`
 */
export const confirmWorkerSettings = z.object({
  ...commonSettings,
  ...tracingSettings,
  ...healthSettings(9_466),
  WS_URL: socketUrls,
  PG_POOL_SIZE: poolSize(10),
  WEBHOOK_KEY: z.string().min(1).optional().meta({
    secret: true,
    description: 'Base64 of 32 bytes; seals the key of webhooks. Without it they are switched off',
  }),
  LOOPBACK_SERVICES: loopbackServices,
});

/** The confirm-worker's settings. They hold no key that moves money. */
export type Config = z.output<typeof confirmWorkerSettings>;

const contradictions: readonly Contradiction<Config>[] = [
  ...commonContradictions,
  loopbackOnMainnet,
];

/** Parses the environment. Throws sentences that name each wrong variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('confirm-worker', confirmWorkerSettings, env, contradictions);
}
