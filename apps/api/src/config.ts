import {
  commonContradictions,
  commonSettings,
  type Contradiction,
  healthSettings,
  listenSettings,
  loopbackOnMainnet,
  loopbackServices,
  parseSettings,
  poolSize,
  wholeNumber,
  tracingSettings,
} from '@agent-wallet/process';
import { z } from 'zod';

const MIN_SECRET_CHARS = 32;

const secret = z.string().min(MIN_SECRET_CHARS);
const origin = z.url({ protocol: /^https?$/ }).refine((text) => new URL(text).origin === text, {
  error: 'must be an origin such as https://wallet.example.com, without a path',
});

const explorerUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => text.includes('{kind}') && text.includes('{id}'), {
    error: 'must be a URL with {kind} and {id}',
  });

/** How many spends, requests and refusals one caller may have. */
const limits = {
  SIGN_IN_PER_MINUTE: wholeNumber(30, { min: 1, max: 1_000_000 }).meta({
    unit: 'requests/min',
    description: 'Requests per client address, separately for the nonce and for sign-in',
  }),
  RATE_PER_SECOND: wholeNumber(100, { min: 1, max: 1_000_000 }).meta({
    unit: 'requests/s',
    description: 'Rate limit per session and per owner',
  }),
  RATE_BURST: wholeNumber(500, { min: 1, max: 1_000_000 }).meta({
    unit: 'requests',
    description: 'Requests at once that the rate limit permits after a pause',
  }),
  MAX_PENDING_PER_SESSION: wholeNumber(256, { min: 1, max: 10_000 }).meta({
    unit: 'spends',
    description: 'Maximum number of open spends of a session. Above it, a new spend gets 429',
  }),
  MAX_PENDING_PER_WALLET: wholeNumber(2_048, { min: 1, max: 100_000 }).meta({
    unit: 'spends',
    description: 'Maximum number of open spends of a wallet. Above it, a new spend gets 429',
  }),
  SESSION_REFUSALS_PER_HOUR: wholeNumber(1_000, { min: 1, max: 1_000_000_000 }).meta({
    unit: 'refusals/h',
    description:
      'Maximum number of refusals of a session that write rows. Above it, a request that would ' +
      'be refused gets 429',
  }),
  WALLET_REFUSALS_PER_HOUR: wholeNumber(5_000, { min: 1, max: 1_000_000_000 }).meta({
    unit: 'refusals/h',
    description: 'The same for all sessions of a wallet',
  }),
  FEE_BUDGET_LAMPORTS: wholeNumber(200_000_000, {
    min: 10_000,
    max: Number.MAX_SAFE_INTEGER,
  }).meta({
    unit: 'lamports/day',
    description:
      'Fees that one session may cost the fee payers per UTC day. Above it, a new spend gets 429. ' +
      'The offers of attempts that are signed again count, but such attempts are never refused',
  }),
  REVERTS_PER_DAY: wholeNumber(100, { min: 1, max: 1_000_000 }).meta({
    unit: 'spends/day',
    description:
      'Spends of one session that may land and fail in 24 hours. Above it, a new spend gets 429',
  }),
};

/**
 * The api's settings with their descriptions.
 *
 * @internal exported for `npm run settings`
 */
export const apiSettings = z.object({
  ...commonSettings,
  ...tracingSettings,
  // With a missing or wrong value the api starts and refuses each request as misconfigured.
  PROGRAM_ID: z
    .string()
    .default('')
    .meta({ ...commonSettings.PROGRAM_ID.meta(), required: true }),
  USDC_MINT: z
    .string()
    .default('')
    .meta({ ...commonSettings.USDC_MINT.meta(), required: true }),
  ...listenSettings(8_080),
  ...healthSettings(9_464),
  DASHBOARD_ORIGIN: origin.meta({
    description:
      "Origin of the owner's page, used in the sign-in text, CORS and the Origin check. Owners " +
      'sign a text that names it, so it must not change',
    example: 'https://wallet.example.com',
  }),
  PUBLIC_RPC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ description: 'RPC endpoint for browsers, published by `GET /v1/config`' }),
  EXPLORER_URL: explorerUrl.optional().meta({
    description:
      'Page of a block explorer with `{kind}` (`tx` or `address`) and `{id}`, published by ' +
      '`GET /v1/config`',
  }),
  COOKIE_SECRET: secret.meta({
    secret: true,
    description: 'At least 32 characters. A new value signs out all owners',
  }),
  API_KEY_PEPPER: secret.meta({
    secret: true,
    description: 'At least 32 characters. A new value invalidates every API key',
  }),
  ...limits,
  AGENT_EXTENSIONS: z.stringbool().default(false).meta({
    description: 'Enables the agent endpoints beyond the interface: limits, quotes, services',
  }),
  LOOPBACK_SERVICES: loopbackServices,
  YIELD_ENABLED: z.stringbool().default(false).meta({
    description:
      'Enables deposits to the yield reserve and withdrawals. Positions can always be read',
  }),
  ANSWERS_KEPT_DAYS: wholeNumber(30, { min: 7, max: 36_500 }).meta({
    unit: 'days',
    description: "Time for which a service's response is kept for replays",
  }),
  TRUSTED_PROXIES: wholeNumber(0, { min: 0, max: 10 }).meta({
    unit: 'proxies',
    description: "Number of proxies in front that may name the client's address",
  }),
  BALANCE_WINDOW_MS: wholeNumber(0, { min: 0, max: 1_000 }).meta({
    unit: 'ms',
    description:
      'Time for which an RPC call waits for further account reads. Calls are shared at 0 as well',
  }),
  PG_POOL_SIZE: poolSize(20),
});

/** The api's settings, parsed once from the environment. */
export type Config = z.output<typeof apiSettings>;

const contradictions: readonly Contradiction<Config>[] = [
  ...commonContradictions,
  loopbackOnMainnet,
  {
    of: ['METRICS_PORT', 'PORT'],
    when: ({ METRICS_PORT, PORT }) => METRICS_PORT === PORT && PORT !== 0,
    must: 'must differ from PORT',
  },
  {
    of: ['API_KEY_PEPPER', 'COOKIE_SECRET'],
    when: ({ API_KEY_PEPPER, COOKIE_SECRET }) => API_KEY_PEPPER === COOKIE_SECRET,
    must: 'must differ from COOKIE_SECRET',
  },
];

/** Parses the environment. Throws sentences that name each wrong variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('api', apiSettings, env, contradictions);
}
