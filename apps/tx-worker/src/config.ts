import { parseRpcUrls } from '@agent-wallet/chain';
import { parseMasterKey } from '@agent-wallet/keystore';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';

/** A whole number in digits: an empty value is a mistake, not a 0. */
const whole = (fallback: number, max: number, min = 0): z.ZodType<number> =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .default(fallback);

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
  SESSION_KEYS_AHEAD: whole(64, 10_000, 1),
  LANE_DEPTH: whole(32, 32, 1),
  LANE_CONCURRENCY: whole(32, 256, 1),
  /** For a program build or a token program other than the one that was measured. */
  COMPUTE_UNIT_LIMIT: z.coerce.number().int().min(1_000).max(400_000).optional(),
  /** Micro-lamports per compute unit. */
  PRIORITY_FEE_FLOOR: whole(1, 1_000_000_000),
  PRIORITY_FEE_CAP_LAMPORTS: whole(10_000, 1_000_000_000),
  FEE_PAYER_FLOOR_LAMPORTS: whole(10_000_000, Number.MAX_SAFE_INTEGER),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: whole(9_465, 65_535),
  PG_POOL_SIZE: whole(10, 200, 1),
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
