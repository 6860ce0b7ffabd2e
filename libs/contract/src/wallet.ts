import { z } from 'zod';
import { amountOut, decimalAmount } from './amount.ts';
import { policyAnswer } from './policy.ts';

const FRACTION_FAULT = 'must be an integer from 0 to 10000 (basis points)';

export const createWalletBody = z.object(
  {
    max_deployed_fraction_bp: z
      .int({ error: FRACTION_FAULT })
      .min(0, { error: FRACTION_FAULT })
      .max(10_000, { error: FRACTION_FAULT })
      .default(0),
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

/** `liquid` is null when the balance could not be read, which is not zero. */
export const yieldPositionAnswer = z.object({
  liquid: decimalAmount.nullable(),
  deployed: decimalAmount,
  accrued: z.null(),
  total_balance: decimalAmount,
});
