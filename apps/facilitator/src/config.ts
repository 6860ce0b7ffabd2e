import {
  commonSettings,
  type Contradiction,
  healthSettings,
  listenSettings,
  parseSettings,
  wholeNumber,
} from '@agent-wallet/process';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';

const MIN_KEY_CHARS = 32;

const { RPC_URL, RPC_MAX_CALLS_PER_S, RPC_MAX_CALLS_PER_METHOD_PER_S } = commonSettings;
const { PROGRAM_ID, USDC_MINT, LOG_LEVEL } = commonSettings;
const { ALLOW_MAINNET, AUDIT_SHA256, UPGRADE_MULTISIG } = commonSettings;

/** A JSON array in a variable; `read` throws for a member that is none. */
function jsonArray<Member>(error: string, read: (text: string) => Member) {
  return z.string().transform((text, context) => {
    try {
      return z.array(z.string()).min(1).max(64).parse(JSON.parse(text)).map(read);
    } catch {
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    }
  });
}

const feePayers = jsonArray('must be a JSON array of base58 secret keys', (key) =>
  Keypair.fromSecretKey(bs58.decode(key)),
);

const callerKeys = jsonArray(
  `must be a JSON array of keys of at least ${MIN_KEY_CHARS} characters`,
  (key) => z.string().min(MIN_KEY_CHARS).parse(key),
);

/**
 * The facilitator's settings with their descriptions.
 *
 * @internal exported for `npm run settings`
 */
export const facilitatorSettings = z.object({
  RPC_URL,
  RPC_MAX_CALLS_PER_S,
  RPC_MAX_CALLS_PER_METHOD_PER_S,
  RPC_TIMEOUT_MS: wholeNumber(5_000, { min: 100, max: 60_000 }).meta({
    unit: 'ms',
    description: 'Timeout of each call to an RPC endpoint',
  }),
  PROGRAM_ID,
  USDC_MINT,
  LOG_LEVEL,
  ALLOW_MAINNET,
  AUDIT_SHA256,
  UPGRADE_MULTISIG,
  ...healthSettings(9_467),
  ...listenSettings(4_022),
  TRUSTED_PROXIES: wholeNumber(0, { min: 0, max: 10 }).meta({
    unit: 'proxies',
    description: "Number of proxies in front that may name the client's address",
  }),
  FEE_PAYER_KEYS: feePayers.meta({
    secret: true,
    description: 'JSON array of 1 to 64 base58 secret keys of funded accounts',
  }),
  FEE_PAYER_FLOOR_LAMPORTS: wholeNumber(10_000_000, {
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  }).meta({
    unit: 'lamports',
    description: 'The process is not ready while every fee payer has a lower balance',
  }),
  CALLER_KEYS: callerKeys.optional().meta({
    secret: true,
    description: 'JSON array of bearer keys of the services that may call. Without it everyone may',
  }),
  MAX_FEE_LAMPORTS: wholeNumber(30_000, { min: 10_000, max: 1_000_000_000 }).meta({
    unit: 'lamports',
    description: 'Maximum base fee and priority fee of one transaction',
  }),
  MIN_AMOUNT: wholeNumber(1, { min: 1, max: Number.MAX_SAFE_INTEGER }).meta({
    unit: 'base units of USDC',
    description: 'Minimum payment. Below it the fee is worth more than the payment',
  }),
  RATE_PER_SECOND: wholeNumber(50, { min: 1, max: 1_000_000 }).meta({
    unit: 'requests/s',
    description: 'Rate limit per caller',
  }),
  CONCURRENT_SETTLES: wholeNumber(64, { min: 1, max: 10_000 }).meta({
    unit: 'settlements',
    description: 'Maximum number of settlements at once',
  }),
  SETTLE_WAIT_MS: wholeNumber(30_000, { min: 1_000, max: 80_000 }).meta({
    unit: 'ms',
    description:
      'Time for which a settlement is watched before its response is `settlement_pending`',
  }),
  BODY_LIMIT_BYTES: wholeNumber(65_536, { min: 2_048, max: 1_048_576 }).meta({
    unit: 'bytes',
    description: 'Maximum size of a request body',
  }),
  REQUEST_TIMEOUT_MS: wholeNumber(15_000, { min: 1_000, max: 120_000 }).meta({
    unit: 'ms',
    description: 'Time for reading one request; the wait for its response is not part of it',
  }),
});

/** The facilitator's settings, parsed once from the environment. */
export type Config = z.output<typeof facilitatorSettings>;

const contradictions: readonly Contradiction<Config>[] = [
  {
    of: ['METRICS_PORT', 'PORT'],
    when: ({ METRICS_PORT, PORT }) => METRICS_PORT === PORT && PORT !== 0,
    must: 'must differ from PORT',
  },
];

/** Parses the environment. Throws sentences that name each wrong variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('facilitator', facilitatorSettings, env, contradictions);
}
