import { transferUnitLimit } from '@agent-wallet/chain';
import {
  commonContradictions,
  commonSettings,
  type Contradiction,
  healthSettings,
  optionalWholeNumber,
  parseSettings,
  poolSize,
  wholeNumber,
  tracingSettings,
} from '@agent-wallet/process';
import { remoteKeySchema, vaultAccessOf } from '@agent-wallet/signer';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';

const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000;

/** JSON text that fits a schema; the error says what it must be and never what it was. */
function jsonOf<Schema extends z.ZodType>(schema: Schema, error: string) {
  return z.string().transform((text, context): z.output<Schema> => {
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    }
  });
}

/** Throws for text that is not a secret key in base58. */
function keypairOf(secret: string): Keypair {
  return Keypair.fromSecretKey(bs58.decode(secret));
}

/**
 * The tx-worker's settings with their descriptions.
 *
 * @internal exported for `npm run settings`
 */
export const txWorkerSettings = z.object({
  ...commonSettings,
  ...tracingSettings,
  ...healthSettings(9_465),
  // Checked where the keystore is opened, which records in the database that it is missing.
  KEYSTORE_KEY: z
    .string()
    .default('')
    .meta({
      secret: true,
      required: true,
      description:
        'Base64 of 32 bytes, or a JSON object that names a key in Vault or AWS KMS; encrypts the data ' +
        'keys that seal the session keys. If it is lost, every session must be replaced',
    }),
  KEYSTORE_OTHER_KEYS: z.string().optional().meta({
    secret: true,
    description:
      'JSON array of further keys, which open what they have sealed: during a change of KEYSTORE_KEY',
  }),
  FEE_PAYER_KEYS: jsonOf(
    z.array(z.string().transform(keypairOf)).max(64),
    'must be a JSON array of base58 secret keys',
  )
    .default([])
    .meta({
      secret: true,
      description:
        'JSON array of up to 64 base58 secret keys of funded accounts. Use at least two fee payers',
    }),
  FEE_PAYER_SIGNERS: jsonOf(
    z.array(remoteKeySchema).max(64),
    'must be a JSON array of keys such as {"kind":"vault","key":"…","address":"…"}',
  )
    .default([])
    .meta({
      description: 'JSON array of up to 64 fee payers whose keys Vault or AWS KMS keeps',
    }),
  VAULT_ADDR: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: 'Base URL of Vault, for keys of kind `vault`',
    }),
  VAULT_TOKEN: z.string().min(1).optional().meta({
    secret: true,
    description: 'A token of Vault that may only use these keys',
  }),
  SESSION_KEYS_AHEAD: wholeNumber(64, { min: 1, max: 10_000 }).meta({
    unit: 'keys',
    description: 'Number of free session keys to keep',
  }),
  // Below the 128 numbers between the newest and the oldest open spend: one may stay open long.
  LANE_DEPTH: wholeNumber(96, { min: 1, max: 96 }).meta({
    unit: 'spends',
    description: 'Maximum number of spends in flight per session',
  }),
  LANE_CONCURRENCY: wholeNumber(64, { min: 1, max: 1_024 }).meta({
    unit: 'wallets',
    description: 'Maximum number of wallets whose lanes run at once',
  }),
  COMPUTE_UNIT_LIMIT: optionalWholeNumber({ min: 1_000, max: 400_000 }).meta({
    unit: 'compute units',
    description:
      'Compute unit limit of a transfer. By default it follows from `program/compute-units.json`. ' +
      'Set it for another build of the program',
  }),
  PRIORITY_FEE_FLOOR: wholeNumber(1, { min: 0, max: 1_000_000_000 }).meta({
    unit: 'micro-lamports per compute unit',
    description:
      'Minimum priority fee. The worker offers more when recent blocks paid more for the same ' +
      'accounts',
  }),
  PRIORITY_FEE_CAP_LAMPORTS: wholeNumber(10_000, { min: 0, max: 1_000_000_000 }).meta({
    unit: 'lamports',
    description:
      'Maximum priority fee of one attempt. The second attempt of a spend offers at least a tenth ' +
      'of it, the third one all of it',
  }),
  FEE_PAYER_FLOOR_LAMPORTS: wholeNumber(10_000_000, {
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  }).meta({
    unit: 'lamports',
    description: 'A fee payer with a lower balance is not used until it is funded again',
  }),
  PG_POOL_SIZE: poolSize(10),
});

/** The tx-worker's settings, parsed once from the environment. */
export type Config = z.output<typeof txWorkerSettings>;

const contradictions: readonly Contradiction<Config>[] = [
  ...commonContradictions,
  {
    of: ['FEE_PAYER_KEYS', 'FEE_PAYER_SIGNERS'],
    when: ({ FEE_PAYER_KEYS, FEE_PAYER_SIGNERS }) =>
      FEE_PAYER_KEYS.length + FEE_PAYER_SIGNERS.length === 0,
    must: 'or FEE_PAYER_SIGNERS must name a fee payer',
  },
  {
    of: ['FEE_PAYER_SIGNERS', 'VAULT_ADDR', 'VAULT_TOKEN'],
    when: ({ FEE_PAYER_SIGNERS, VAULT_ADDR, VAULT_TOKEN }) =>
      FEE_PAYER_SIGNERS.some(({ kind }) => kind === 'vault') &&
      vaultAccessOf(VAULT_ADDR, VAULT_TOKEN) === null,
    must: 'requires VAULT_ADDR and VAULT_TOKEN for a key of kind vault',
  },
  {
    of: ['PRIORITY_FEE_FLOOR', 'PRIORITY_FEE_CAP_LAMPORTS', 'COMPUTE_UNIT_LIMIT'],
    when: ({ PRIORITY_FEE_FLOOR, PRIORITY_FEE_CAP_LAMPORTS, COMPUTE_UNIT_LIMIT }) =>
      PRIORITY_FEE_FLOOR * (COMPUTE_UNIT_LIMIT ?? transferUnitLimit()) >
      PRIORITY_FEE_CAP_LAMPORTS * MICRO_LAMPORTS_PER_LAMPORT,
    must: 'must not cost a transfer more than PRIORITY_FEE_CAP_LAMPORTS',
  },
];

/** Parses the environment. Throws sentences that name each wrong variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('tx-worker', txWorkerSettings, env, contradictions);
}
