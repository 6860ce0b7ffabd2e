import { z } from 'zod';
import type { StartSystemOptions } from './system.ts';
import { StartError } from './start-error.ts';

const DEFAULT_API_PORT = 8080;
const DEFAULT_FAUCET_PORT = 8081;
const DEFAULT_DASHBOARD_PORT = 3000;
const DEFAULT_FACILITATOR_PORT = 4022;

const port = z.coerce.number().int().min(0).max(65_535);
const keys = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('must be a JSON array of base58 secret keys');
      return z.NEVER;
    }
  })
  .pipe(z.array(z.string()).min(1));
const command = z
  .string()
  .transform((text) => text.trim().split(/\s+/))
  .refine((words) => words.includes('{role}') && words.includes('{env}'), {
    error: 'must be a command with the words {env} (a file) and {role}',
  });

const schema = z.object({
  PORT: port.default(DEFAULT_API_PORT),
  FAUCET_PORT: port.default(DEFAULT_FAUCET_PORT),
  DASHBOARD_PORT: port.default(DEFAULT_DASHBOARD_PORT),
  FACILITATOR_PORT: port.default(DEFAULT_FACILITATOR_PORT),
  PROCESS_COMMAND: command.optional(),
  SLOT_TIME_MS: z.coerce.number().int().positive().optional(),
  DATABASE_URL: z.string().min(1).optional(),
  REDIS_URL: z.string().min(1).optional(),
  RPC_URL: z.url().optional(),
  RPC_MAX_CALLS_PER_S: z.string().optional(),
  RPC_MAX_CALLS_PER_METHOD_PER_S: z.string().optional(),
  PROGRAM_ID: z.string().optional(),
  USDC_MINT: z.string().optional(),
  FEE_PAYER_KEYS: keys.optional(),
  KEYSTORE_KEY: z.string().optional(),
  WEBHOOK_KEY: z.string().optional(),
  API_KEY_PEPPER: z.string().optional(),
  COOKIE_SECRET: z.string().optional(),
  YIELD_ENABLED: z.string().optional(),
  PUBLIC_RPC_URL: z.string().optional(),
  EXPLORER_URL: z.string().optional(),
});

/**
 * The options that the environment sets for the system to start. An empty variable counts as
 * absent. `DATABASE_URL` and `RPC_URL` replace the embedded database and chain. Secrets that must
 * outlive one start with such a database are used when they are set. Throws a StartError that names
 * the variable that cannot be parsed.
 */
export function optionsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): StartSystemOptions {
  const present = Object.entries(environment).filter(([, value]) => value !== '');
  const parsed = schema.safeParse(Object.fromEntries(present));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartError(`${String(issue?.path[0])}: ${issue?.message ?? 'cannot be parsed'}.`);
  }
  const found = parsed.data;
  const rpcLimits = {
    ...given('RPC_MAX_CALLS_PER_S', found.RPC_MAX_CALLS_PER_S),
    ...given('RPC_MAX_CALLS_PER_METHOD_PER_S', found.RPC_MAX_CALLS_PER_METHOD_PER_S),
  };
  const forBrowsers = {
    ...given('PUBLIC_RPC_URL', found.PUBLIC_RPC_URL),
    ...given('EXPLORER_URL', found.EXPLORER_URL),
  };
  return {
    apiPort: found.PORT,
    faucetPort: found.FAUCET_PORT,
    dashboardPort: found.DASHBOARD_PORT,
    facilitatorPort: found.FACILITATOR_PORT,
    ...given('command', found.PROCESS_COMMAND),
    ...given('slotTimeMs', found.SLOT_TIME_MS),
    ...given('databaseUrl', found.DATABASE_URL),
    ...given('redisUrl', found.REDIS_URL),
    ...given('rpcUrl', found.RPC_URL),
    ...given('programId', found.PROGRAM_ID),
    ...given('usdcMint', found.USDC_MINT),
    ...given('feePayerKeys', found.FEE_PAYER_KEYS),
    env: {
      'tx-worker': { ...rpcLimits, ...given('KEYSTORE_KEY', found.KEYSTORE_KEY) },
      'confirm-worker': { ...rpcLimits, ...given('WEBHOOK_KEY', found.WEBHOOK_KEY) },
      api: {
        ...rpcLimits,
        ...given('API_KEY_PEPPER', found.API_KEY_PEPPER),
        ...given('COOKIE_SECRET', found.COOKIE_SECRET),
        ...given('YIELD_ENABLED', found.YIELD_ENABLED),
        ...forBrowsers,
      },
      dashboard: forBrowsers,
    },
  };
}

/**
 * An object with the one key, or an empty one: an absent option must not be present as undefined.
 */
function given<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): Partial<Record<Key, Value>> {
  const object: Partial<Record<Key, Value>> = {};
  if (value !== undefined) object[key] = value;
  return object;
}
