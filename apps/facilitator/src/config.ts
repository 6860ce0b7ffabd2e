import { commonSettings, healthSettings, parseSettings, wholeNumber } from '@agent-wallet/process';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';

const MIN_KEY_CHARS = 32;

const { RPC_URL, RPC_MAX_CALLS_PER_S, RPC_MAX_CALLS_PER_METHOD_PER_S } = commonSettings;
const { PROGRAM_ID, USDC_MINT, LOG_LEVEL, ALLOW_MAINNET } = commonSettings;

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

const environment = z.object({
  RPC_URL,
  RPC_MAX_CALLS_PER_S,
  RPC_MAX_CALLS_PER_METHOD_PER_S,
  /** Of each call to an RPC endpoint. */
  RPC_TIMEOUT_MS: wholeNumber(5_000, { min: 100, max: 60_000 }),
  PROGRAM_ID,
  USDC_MINT,
  LOG_LEVEL,
  ALLOW_MAINNET,
  ...healthSettings(9_467),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(4_022, { min: 0, max: 65_535 }),
  TRUSTED_PROXIES: wholeNumber(0, { min: 0, max: 10 }),
  FEE_PAYER_KEYS: feePayers,
  FEE_PAYER_FLOOR_LAMPORTS: wholeNumber(10_000_000, { min: 0, max: Number.MAX_SAFE_INTEGER }),
  /** Bearer keys of the services that may call; without it everyone may. */
  CALLER_KEYS: callerKeys.optional(),
  /** Base fee and priority fee of one transaction. */
  MAX_FEE_LAMPORTS: wholeNumber(30_000, { min: 10_000, max: 1_000_000_000 }),
  /** Base units of USDC: below it the fee is worth more than the payment. */
  MIN_AMOUNT: wholeNumber(1, { min: 1, max: Number.MAX_SAFE_INTEGER }),
  RATE_PER_SECOND: wholeNumber(50, { min: 1, max: 1_000_000 }),
  CONCURRENT_SETTLES: wholeNumber(64, { min: 1, max: 10_000 }),
  /** How long a settlement is watched before its response is settlement_pending. */
  SETTLE_WAIT_MS: wholeNumber(30_000, { min: 1_000, max: 80_000 }),
  BODY_LIMIT_BYTES: wholeNumber(65_536, { min: 2_048, max: 1_048_576 }),
  /** For reading one request; the wait for its response is not part of it. */
  REQUEST_TIMEOUT_MS: wholeNumber(15_000, { min: 1_000, max: 120_000 }),
});

/** The facilitator's settings, parsed once from the environment. */
export type Config = z.output<typeof environment>;

/** Parses the environment. Throws one sentence that names the wrong variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('facilitator', environment, env);
}
