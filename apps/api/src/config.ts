import { parseRpcUrls } from '@agent-wallet/chain';
import { z } from 'zod';

const MIN_SECRET_CHARS = 32;

const whole = (fallback: number, min: number, max: number): z.ZodType<number> =>
  z.coerce.number().int().min(min).max(max).default(fallback);

const secret = z.string().min(MIN_SECRET_CHARS);
const origin = z.url({ protocol: /^https?$/ }).refine((text) => new URL(text).origin === text, {
  error: 'must be an origin such as https://wallet.example.com, without a path',
});

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
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(8080, 0, 65_535),
  /** Origin of the owner's page: in the sign-in text, and the one origin that CORS lets in. */
  DASHBOARD_ORIGIN: origin,
  COOKIE_SECRET: secret,
  API_KEY_PEPPER: secret,
  SIGN_IN_PER_MINUTE: whole(30, 1, 1_000_000),
  RATE_PER_SECOND: whole(100, 1, 1_000_000),
  RATE_BURST: whole(500, 1, 1_000_000),
  MAX_PENDING_PER_SESSION: whole(256, 1, 10_000),
  MAX_PENDING_PER_WALLET: whole(2_048, 1, 100_000),
  FEE_BUDGET_LAMPORTS: whole(200_000_000, 10_000, Number.MAX_SAFE_INTEGER),
  REVERTS_PER_DAY: whole(100, 1, 1_000_000),
  TRUSTED_PROXIES: whole(0, 0, 10),
  BALANCE_WINDOW_MS: whole(50, 0, 1_000),
  PG_POOL_SIZE: whole(20, 1, 200),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
  ALLOW_MAINNET: z.stringbool().default(false),
});

/** The api's settings, parsed once from the environment. */
export type Config = z.output<typeof environment>;

/** Parses the environment; throws one sentence that names what is wrong and never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = environment.safeParse(env);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? 'environment';
  const what = env[name] === undefined ? 'is missing' : (issue?.message ?? 'is not valid');
  throw new Error(`api: the environment variable ${name} ${what}`);
}
