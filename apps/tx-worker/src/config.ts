import { parseMasterKey } from '@agent-wallet/keystore';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';

const whole = (fallback: number, max: number): z.ZodType<number> =>
  z.coerce.number().int().min(0).max(max).default(fallback);

const environment = z.object({
  DATABASE_URL: z.string().min(1),
  REDIS_URL: z.string().min(1).optional(),
  RPC_URL: z.url(),
  PROGRAM_ID: z.string().min(32),
  USDC_MINT: z.string().min(32),
  KEYSTORE_KEY: z.string().min(1),
  FEE_PAYER_KEYS: z.string().transform((text, context) => {
    try {
      const keys = z.array(z.string()).min(1).max(64).parse(JSON.parse(text));
      return keys.map((key) => Keypair.fromSecretKey(bs58.decode(key)));
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON array of base58 secret keys' });
      return z.NEVER;
    }
  }),
  SESSION_KEYS_AHEAD: whole(64, 10_000),
  LANE_DEPTH: whole(32, 32),
  LANE_CONCURRENCY: whole(32, 256),
  COMPUTE_UNIT_LIMIT: whole(20_000, 400_000),
  COMPUTE_UNIT_PRICE: whole(1, 50_000),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: whole(9_465, 65_535),
  PG_POOL_SIZE: whole(10, 200),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
  ALLOW_MAINNET: z.stringbool().default(false),
});

/** The tx-worker's settings, parsed once from the environment. */
export type Config = z.output<typeof environment> & { readonly masterKey: Buffer };

/** Parses the environment; throws one sentence that names what is wrong and never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`tx-worker: ${issue?.path.join('.') ?? 'environment'}: ${issue?.message}`);
  }
  return { ...parsed.data, masterKey: parseMasterKey(parsed.data.KEYSTORE_KEY) };
}
