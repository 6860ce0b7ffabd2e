/** What the processes' settings have in common. Each process adds its own to these. */
import { z } from 'zod';
import { parseRpcUrls } from './rpc-urls.ts';

/** A whole number in digits: an empty value is a mistake, not a 0. */
export function wholeNumber(
  fallback: number,
  { min, max }: { readonly min: number; readonly max: number },
): z.ZodType<number> {
  return digits(min, max).default(fallback);
}

/** The same without a default. */
export function optionalWholeNumber(range: {
  readonly min: number;
  readonly max: number;
}): z.ZodType<number | undefined> {
  return digits(range.min, range.max).optional();
}

function digits(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

const rpcUrls = z.string().transform((text, context) => {
  const urls = parseRpcUrls(text);
  if (urls !== null) return urls;
  const message = 'must be 1 to 8 http(s) URLs, separated by commas, none twice';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/**
 * Origins of paid services on this machine, such as `http://127.0.0.1:4021`, separated by commas:
 * for tests and the embedded system. Everywhere else a service is reached by https, at a public
 * address.
 */
export const loopbackServices = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((origin) => origin !== ''))
  .refine((origins) => origins.every(isLoopbackOrigin), 'must be origins on loopback');

function isLoopbackOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.origin === text && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
}

/** Where database, queue and chain are, and how much to say. */
export const commonSettings = {
  DATABASE_URL: z.string().min(1),
  REDIS_URL: z.string().min(1).optional(),
  RPC_URL: rpcUrls,
  PROGRAM_ID: z.string().min(32),
  USDC_MINT: z.string().min(32),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
  ALLOW_MAINNET: z.stringbool().default(false),
};

/** Where a worker serves health and metrics: on loopback unless somebody else must reach it. */
export function healthSettings(port: number) {
  return {
    METRICS_HOST: z.string().min(1).default('127.0.0.1'),
    METRICS_PORT: wholeNumber(port, { min: 0, max: 65_535 }),
  };
}

/**
 * Parses a process's environment. Throws one sentence that names the variable and what is wrong
 * with it, and never its value.
 */
export function parseSettings<Schema extends z.ZodType>(
  process: string,
  schema: Schema,
  env: NodeJS.ProcessEnv,
): z.output<Schema> {
  const parsed = schema.safeParse(env);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? 'environment';
  const what = env[name] === undefined ? 'is missing' : (issue?.message ?? 'is not valid');
  throw new Error(`${process}: the environment variable ${name} ${what}`);
}
