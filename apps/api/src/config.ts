import {
  commonSettings,
  loopbackServices,
  parseSettings,
  wholeNumber,
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

const environment = z.object({
  ...commonSettings,
  /** With a missing or wrong value the api starts and refuses each request as misconfigured. */
  PROGRAM_ID: z.string().default(''),
  USDC_MINT: z.string().default(''),
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(8080, { min: 0, max: 65_535 }),
  /** Origin of the owner's page: part of the sign-in text, and the only origin that CORS allows. */
  DASHBOARD_ORIGIN: origin,
  /** RPC endpoint that browsers may call; those of `RPC_URL` stay secret. */
  PUBLIC_RPC_URL: z.url({ protocol: /^https?$/ }).optional(),
  EXPLORER_URL: explorerUrl.optional(),
  COOKIE_SECRET: secret,
  API_KEY_PEPPER: secret,
  SIGN_IN_PER_MINUTE: wholeNumber(30, { min: 1, max: 1_000_000 }),
  RATE_PER_SECOND: wholeNumber(100, { min: 1, max: 1_000_000 }),
  RATE_BURST: wholeNumber(500, { min: 1, max: 1_000_000 }),
  MAX_PENDING_PER_SESSION: wholeNumber(256, { min: 1, max: 10_000 }),
  MAX_PENDING_PER_WALLET: wholeNumber(2_048, { min: 1, max: 100_000 }),
  SESSION_REFUSALS_PER_HOUR: wholeNumber(1_000, { min: 1, max: 1_000_000_000 }),
  WALLET_REFUSALS_PER_HOUR: wholeNumber(5_000, { min: 1, max: 1_000_000_000 }),
  FEE_BUDGET_LAMPORTS: wholeNumber(200_000_000, { min: 10_000, max: Number.MAX_SAFE_INTEGER }),
  REVERTS_PER_DAY: wholeNumber(100, { min: 1, max: 1_000_000 }),
  /** GET /v1/services and the other agent routes beyond the interface. */
  AGENT_EXTENSIONS: z.stringbool().default(false),
  LOOPBACK_SERVICES: loopbackServices,
  /** Enables deposits to the yield reserve and withdrawals; positions are always readable. */
  YIELD_ENABLED: z.stringbool().default(false),
  /** At least 7: replays by Idempotency-Key are promised for 7 days. */
  ANSWERS_KEPT_DAYS: wholeNumber(30, { min: 7, max: 36_500 }),
  TRUSTED_PROXIES: wholeNumber(0, { min: 0, max: 10 }),
  BALANCE_WINDOW_MS: wholeNumber(0, { min: 0, max: 1_000 }),
  PG_POOL_SIZE: wholeNumber(20, { min: 1, max: 200 }),
});

/** The api's settings, parsed once from the environment. */
export type Config = z.output<typeof environment>;

/** Parses the environment. Throws one sentence that names the wrong variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('api', environment, env);
}
