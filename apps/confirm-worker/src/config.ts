import {
  commonSettings,
  healthSettings,
  loopbackServices,
  parseSettings,
  socketUrls,
  wholeNumber,
} from '@agent-wallet/process';
import { z } from 'zod';

const environment = z.object({
  ...commonSettings,
  ...healthSettings(9_466),
  WS_URL: socketUrls,
  PG_POOL_SIZE: wholeNumber(10, { min: 1, max: 200 }),
  /** Seals the key of webhooks; without it they are switched off. */
  WEBHOOK_KEY: z.string().min(1).optional(),
  LOOPBACK_SERVICES: loopbackServices,
});

/** The confirm-worker's settings. They hold no key that moves money. */
export type Config = z.output<typeof environment>;

/** Parses the environment. Throws one sentence that names the variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('confirm-worker', environment, env);
}
