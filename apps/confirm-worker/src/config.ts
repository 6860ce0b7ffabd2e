import { parseRpcUrls } from '@agent-wallet/chain';
import { z } from 'zod';

/** A whole number in digits: an empty value is a mistake, not a 0. */
const whole = (fallback: number, max: number, min = 0): z.ZodType<number> =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .default(fallback);

const rpcUrls = z.string().transform((text, context) => {
  const urls = parseRpcUrls(text);
  if (urls !== null) return urls;
  const message = 'must be 1 to 8 http(s) URLs, separated by commas, none twice';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const environment = z.object({
  DATABASE_URL: z.string().min(1),
  REDIS_URL: z.string().min(1).optional(),
  RPC_URL: rpcUrls,
  PROGRAM_ID: z.string().min(32),
  USDC_MINT: z.string().min(32),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: whole(9_466, 65_535),
  PG_POOL_SIZE: whole(10, 200, 1),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
  ALLOW_MAINNET: z.stringbool().default(false),
});

/** The confirm-worker's settings, parsed once from the environment. It holds no secret. */
export type Config = z.output<typeof environment>;

/** Parses the environment; throws one sentence that names what is wrong and never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = environment.safeParse(env);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`confirm-worker: ${issue?.path.join('.') ?? 'environment'}: ${issue?.message}`);
}
