import {
  commonSettings,
  healthSettings,
  optionalWholeNumber,
  parseSettings,
  wholeNumber,
} from '@agent-wallet/process';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';

const environment = z.object({
  ...commonSettings,
  ...healthSettings(9_465),
  /** Checked where the keystore is opened, which records in the database that it is missing. */
  KEYSTORE_KEY: z.string().default(''),
  FEE_PAYER_KEYS: z.string().transform((text, context) => {
    try {
      const keys = z.array(z.string()).min(1).max(64).parse(JSON.parse(text));
      return keys.map((key) => Keypair.fromSecretKey(bs58.decode(key)));
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON array of base58 secret keys' });
      return z.NEVER;
    }
  }),
  SESSION_KEYS_AHEAD: wholeNumber(64, { min: 1, max: 10_000 }),
  /** Below the 128 numbers between the newest and the oldest open spend: one may stay open long. */
  LANE_DEPTH: wholeNumber(96, { min: 1, max: 96 }),
  LANE_CONCURRENCY: wholeNumber(64, { min: 1, max: 1_024 }),
  /** For a program build or a token program other than the one that was measured. */
  COMPUTE_UNIT_LIMIT: optionalWholeNumber({ min: 1_000, max: 400_000 }),
  /** Micro-lamports per compute unit. */
  PRIORITY_FEE_FLOOR: wholeNumber(1, { min: 0, max: 1_000_000_000 }),
  PRIORITY_FEE_CAP_LAMPORTS: wholeNumber(10_000, { min: 0, max: 1_000_000_000 }),
  FEE_PAYER_FLOOR_LAMPORTS: wholeNumber(10_000_000, { min: 0, max: Number.MAX_SAFE_INTEGER }),
  PG_POOL_SIZE: wholeNumber(10, { min: 1, max: 200 }),
});

/** The tx-worker's settings, parsed once from the environment. */
export type Config = z.output<typeof environment>;

/** Parses the environment; throws one sentence that names what is wrong and never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('tx-worker', environment, env);
}
