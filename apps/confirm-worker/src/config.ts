import { commonSettings, healthSettings, parseSettings, wholeNumber } from '@agent-wallet/process';
import { z } from 'zod';

const environment = z.object({
  ...commonSettings,
  ...healthSettings(9_466),
  PG_POOL_SIZE: wholeNumber(10, { min: 1, max: 200 }),
});

/** The confirm-worker's settings, parsed once from the environment. It holds no secret. */
export type Config = z.output<typeof environment>;

/** Parses the environment; throws one sentence that names what is wrong and never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('confirm-worker', environment, env);
}
