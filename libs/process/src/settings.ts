/** The settings that all processes share. Each process adds its own. */
import { z } from 'zod';
import { parseRpcUrls, parseSocketUrls } from './rpc-urls.ts';

/** A setting that is missing or wrong. The message is one sentence without the value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

type Range = { readonly min: number; readonly max: number };

/** A whole number in decimal digits. An empty value is an error, not a 0. */
export function wholeNumber(fallback: number, range: Range): z.ZodType<number> {
  return digits(range).default(fallback);
}

/** A whole number that may be left out. */
export function optionalWholeNumber(range: Range): z.ZodType<number | undefined> {
  return digits(range).optional();
}

function digits({ min, max }: Range) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, error)
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error));
}

function urlList(scheme: string, parse: (text: string) => readonly string[] | null) {
  return z.string().transform((text, context) => {
    const urls = parse(text);
    if (urls !== null) return urls;
    const message = `must be 1 to 8 different ${scheme} URLs, separated by commas`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

const rpcUrls = urlList('http(s)', parseRpcUrls);

/** WebSocket addresses of RPC endpoints; may be left out. */
export const socketUrls = urlList('ws(s)', parseSocketUrls).optional();

/**
 * Origins of paid services on this machine, such as `http://127.0.0.1:4021`, separated by commas:
 * for tests and the embedded system. Every other service needs https and a public address.
 */
export const loopbackServices = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((origin) => origin !== ''))
  .refine((origins) => origins.every(isLoopbackOrigin), {
    error: 'must be origins on loopback such as http://127.0.0.1:4021, separated by commas',
  });

function isLoopbackOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.origin === text && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
}

const callsPerSecond = optionalWholeNumber({ min: 1, max: 100_000 });

const address = z.string().min(32, 'must be a base58 address of 32 bytes');

/** Database, queue, chain, and the log level. */
export const commonSettings = {
  DATABASE_URL: z.string().min(1),
  /** False behind a pooler that gives each SQL transaction another connection. */
  DATABASE_PREPARE: z.stringbool().default(true),
  REDIS_URL: z.string().min(1).optional(),
  RPC_URL: rpcUrls,
  /** Of this process to each endpoint; not limited by default. */
  RPC_MAX_CALLS_PER_S: callsPerSecond,
  RPC_MAX_CALLS_PER_METHOD_PER_S: callsPerSecond,
  PROGRAM_ID: address,
  USDC_MINT: address,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
  ALLOW_MAINNET: z.stringbool().default(false),
};

/** The address of a worker's health and metrics server, on loopback by default. */
export function healthSettings(port: number) {
  return {
    METRICS_HOST: z.string().min(1).default('127.0.0.1'),
    METRICS_PORT: wholeNumber(port, { min: 0, max: 65_535 }),
  };
}

/** The limits of calls as the RPC pool takes them. */
export function rpcLimitsOf(settings: {
  readonly RPC_MAX_CALLS_PER_S?: number | undefined;
  readonly RPC_MAX_CALLS_PER_METHOD_PER_S?: number | undefined;
}): { readonly callsPerS: number | undefined; readonly callsPerMethodPerS: number | undefined } {
  return {
    callsPerS: settings.RPC_MAX_CALLS_PER_S,
    callsPerMethodPerS: settings.RPC_MAX_CALLS_PER_METHOD_PER_S,
  };
}

/**
 * Parses a process's environment. Throws a SettingsError that names the variable and what it must
 * be, never its value.
 */
export function parseSettings<Schema extends z.ZodType>(
  process: string,
  schema: Schema,
  env: NodeJS.ProcessEnv,
): z.output<Schema> {
  const parsed = schema.safeParse(env, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? 'environment';
  const what = env[name] === undefined ? 'is missing' : (issue?.message ?? 'is not valid');
  throw new SettingsError(`${process}: the environment variable ${name} ${what}`);
}

/** What the value must be, for a rule without a message of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.minimum === 1
        ? 'must not be empty'
        : `must have at least ${issue.minimum} characters`;
    case 'invalid_value':
      return issue['expected'] === 'stringbool'
        ? 'must be true or false'
        : `must be one of ${issue.values.join(', ')}`;
    case 'invalid_format':
      return `must be a valid ${issue.format}`;
    default:
      return 'is not valid';
  }
}
