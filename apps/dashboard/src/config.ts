import { parseSettings, wholeNumber } from '@agent-wallet/process';
import { z } from 'zod';

const environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(3_000, { min: 0, max: 65_535 }),
  /** The address of the HTTP api, shown on the page. */
  API_URL: z.url({ protocol: /^https?$/ }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
});

/** The dashboard's settings, parsed once from the environment. It holds no secret. */
export type Config = z.output<typeof environment>;

/** Parses the environment. Throws one sentence that names the variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('dashboard', environment, env);
}
