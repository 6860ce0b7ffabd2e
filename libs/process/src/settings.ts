/** The settings that all processes share. Each process adds its own. */
import { z } from 'zod';
import type { Contradiction } from './parse-settings.ts';
import { parseRedisUrl } from './redis-url.ts';
import { parseRpcUrls, parseSocketUrls } from './rpc-urls.ts';

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
export const socketUrls = urlList('ws(s)', parseSocketUrls)
  .optional()
  .meta({
    secret: true,
    description:
      '1 to 8 ws(s) URLs, separated by commas. Without it each URL of `RPC_URL` gives one: the ' +
      'same host and path, and where it names a port, the next one',
  });

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
  })
  .meta({
    description:
      'Origins on loopback that services and webhooks may have, separated by commas; for tests',
  });

function isLoopbackOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.origin === text && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
}

const callsPerSecond = optionalWholeNumber({ min: 1, max: 100_000 });

/** An address on the chain. */
export const address = z
  .string()
  .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a base58 address of 32 bytes');

/** Connections in the pool of a process. */
export function poolSize(fallback: number) {
  return wholeNumber(fallback, { min: 1, max: 200 }).meta({
    unit: 'connections',
    description: 'Size of the database pool, in addition to the connections of queue and LISTEN',
  });
}

/** The level of a process's log. */
export const logLevel = z
  .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
  .default('info')
  .meta({ description: 'Lowest level of the log lines that are written' });

const port = (fallback: number) => wholeNumber(fallback, { min: 0, max: 65_535 });

/** The address on which a process listens. */
export function listenSettings(fallback: number) {
  return {
    HOST: z.string().min(1).default('127.0.0.1').meta({ description: 'Listen address' }),
    PORT: port(fallback).meta({ description: 'Listen port. 0 selects a free one' }),
  };
}

/** The address of a process's health and metrics server, on loopback by default. */
export function healthSettings(fallback: number) {
  return {
    METRICS_HOST: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .meta({ description: 'Listen address for health and metrics' }),
    METRICS_PORT: port(fallback).meta({
      description: 'Listen port for health and metrics. 0 selects a free one',
    }),
  };
}

/** Database, queue, chain, and the log level. */
export const commonSettings = {
  DATABASE_URL: z
    .string()
    .min(1)
    .meta({
      secret: true,
      description:
        "Postgres connection string of the process's own login. LISTEN needs a direct connection " +
        'or a session pooler',
    }),
  DATABASE_PREPARE: z
    .stringbool()
    .default(true)
    .meta({
      description:
        '`false` behind a pooler that does not track prepared statements (PgBouncer before 1.21) ' +
        'or rejects `options`',
    }),
  REDIS_URL: z
    .string()
    .min(1)
    .refine((text) => parseRedisUrl(text) !== null, {
      error:
        'must be redis://host:6379/0, redis+sentinel://host:26379,…/master-name or ' +
        'redis+cluster://host:6379,…',
    })
    .optional()
    .meta({
      secret: true,
      description:
        'Redis or Valkey for the queue: `redis://host:6379/0`, ' +
        '`redis+sentinel://host:26379,host2:26379/mymaster` or ' +
        '`redis+cluster://host:6379,host2:6379`; `rediss` for TLS. Without it, the queue is in ' +
        'Postgres',
    }),
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[\w:-]{1,64}$/, 'must have 1 to 64 letters, digits, and characters of _:-')
    .optional()
    .meta({
      description:
        'In front of every key in Redis, so that several deployments can share a server. Without ' +
        'it, `bull`',
    }),
  RPC_URL: rpcUrls.meta({
    secret: true,
    description:
      '1 to 8 http(s) URLs of Solana RPC endpoints of one chain, separated by commas. They are ' +
      'never published',
  }),
  RPC_MAX_CALLS_PER_S: callsPerSecond.meta({
    unit: 'calls/s',
    description: 'Maximum calls of this process to each RPC endpoint. Without it, no limit',
  }),
  RPC_MAX_CALLS_PER_METHOD_PER_S: callsPerSecond.meta({
    unit: 'calls/s',
    description:
      'Maximum calls of one method, of this process to each RPC endpoint. Without it, no limit',
  }),
  PROGRAM_ID: address.meta({ description: 'Address of the program' }),
  USDC_MINT: address.meta({ description: 'Address of the mint' }),
  LOG_LEVEL: logLevel,
  ALLOW_MAINNET: z
    .stringbool()
    .default(false)
    .meta({ description: 'Must be `true` to run against mainnet, where more is required' }),
  AUDIT_SHA256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 of 64 hexadecimal digits')
    .transform((text) => text.toLowerCase())
    .optional()
    .meta({
      description:
        "SHA-256 of the audited program's bytes without the zeros at their end. Required on mainnet",
    }),
  UPGRADE_MULTISIG: address.optional().meta({
    description:
      'Address of the Squads v4 multisig that can replace the program. Required on mainnet unless ' +
      'nobody can',
  }),
};

/** Where the spans of spends go; without an endpoint there are none. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description:
        'Base URL of an OTLP/HTTP receiver of traces, such as `http://127.0.0.1:4318`. Without it, ' +
        'tracing is off',
    }),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional().meta({
    secret: true,
    description: 'Headers for that receiver, as `name=value`, separated by commas',
  }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'must be a number from 0 to 1')
    .default('1')
    .transform(Number)
    .meta({ description: 'Share of the spends that are traced, the same ones in every process' }),
};

/** The settings of tracing as `openTracing` takes them. */
export function tracingOf(settings: z.output<z.ZodObject<typeof tracingSettings>>): {
  readonly endpoint: string | undefined;
  readonly headers: string | undefined;
  readonly ratio: number;
} {
  return {
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
  };
}

type CommonSettings = z.output<z.ZodObject<typeof commonSettings>>;

/** Contradictions among the settings that all processes share. */
export const commonContradictions: readonly Contradiction<CommonSettings>[] = [
  {
    of: ['RPC_MAX_CALLS_PER_METHOD_PER_S', 'RPC_MAX_CALLS_PER_S'],
    when: ({ RPC_MAX_CALLS_PER_METHOD_PER_S: method, RPC_MAX_CALLS_PER_S: all }) =>
      method !== undefined && all !== undefined && method > all,
    must: 'must not be above RPC_MAX_CALLS_PER_S',
  },
  {
    of: ['REDIS_KEY_PREFIX', 'REDIS_URL'],
    when: ({ REDIS_KEY_PREFIX, REDIS_URL }) =>
      REDIS_KEY_PREFIX !== undefined && REDIS_URL === undefined,
    must: 'must not be set without REDIS_URL',
  },
];

type LoopbackSettings = Pick<CommonSettings, 'ALLOW_MAINNET'> & {
  readonly LOOPBACK_SERVICES: readonly string[];
};

/** Services on this machine are for tests: with real money they are a mistake. */
export const loopbackOnMainnet: Contradiction<LoopbackSettings> = {
  of: ['LOOPBACK_SERVICES', 'ALLOW_MAINNET'],
  when: ({ LOOPBACK_SERVICES, ALLOW_MAINNET }) => ALLOW_MAINNET && LOOPBACK_SERVICES.length > 0,
  must: 'must be empty where ALLOW_MAINNET is true',
};

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

/** The store of the queue as `libs/queue` takes it. */
export function queueTargetOf(settings: {
  readonly DATABASE_URL: string;
  readonly REDIS_URL?: string | undefined;
  readonly REDIS_KEY_PREFIX?: string | undefined;
}): {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly redisKeyPrefix: string | undefined;
} {
  return {
    databaseUrl: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    redisKeyPrefix: settings.REDIS_KEY_PREFIX,
  };
}
