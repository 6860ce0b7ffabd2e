import { z } from 'zod';
import { address } from './address.ts';
import { amountIn, amountOut } from './amount.ts';
import { policyAnswer } from './policy.ts';

const FRACTION_FAULT = 'must be an integer from 0 to 10000 (basis points)';

const fractionIn = z
  .int({ error: FRACTION_FAULT })
  .min(0, { error: FRACTION_FAULT })
  .max(10_000, { error: FRACTION_FAULT });

export const createWalletBody = z.object(
  { max_deployed_fraction_bp: fractionIn.default(0) },
  { error: 'must be a JSON object' },
);

export const fractionBody = z.object(
  { max_deployed_fraction_bp: fractionIn },
  { error: 'must be a JSON object' },
);

/** No body, or nothing said in it, pauses: that is the side on which a slip does no harm. */
export const pauseBody = z
  .object(
    { paused: z.boolean({ error: 'must be true or false' }).default(true) },
    { error: 'must be a JSON object or empty' },
  )
  .nullish();

/** `destination` is a USDC token account of the owner; left out, the associated one. */
export const withdrawBody = z.object(
  {
    amount: z.union([z.literal('all'), amountIn], {
      error: 'must be a positive number in base units, or "all"',
    }),
    destination: address.optional(),
  },
  { error: 'must be a JSON object' },
);

/** `txBase64` is unsigned: the owner signs and sends it. */
export const createWalletAnswer = z.object({
  wallet_id: z.uuid(),
  txBase64: z.base64(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
});

export const walletAnswer = z.object({
  wallet_id: z.uuid(),
  owner: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
  status: z.enum(['pending', 'active']),
  max_deployed_fraction_bp: z.int(),
  deployed_amount: amountOut,
  liquid: amountOut.nullable(),
  paused: z.boolean(),
  policy: policyAnswer,
  created_at: z.iso.datetime(),
});

export const depositAddressAnswer = z.object({
  address: z.string(),
  mint: z.string(),
  cluster: z.string(),
});
