import { z } from 'zod';
import { amountIn, decimalAmount } from './amount.ts';
import { spendId } from './spend.ts';

/** What an agent deploys or brings back, and what its owner deploys. */
export const yieldBody = z.object({ amount: amountIn }, { error: 'must be a JSON object' });

/** `all` brings home whatever there is, interest included. */
export const ownerYieldWithdrawBody = z.object(
  {
    amount: z.union([z.literal('all'), amountIn], {
      error: 'must be a positive number in base units, or "all"',
    }),
  },
  { error: 'must be a JSON object' },
);

/** `deployed` is the principal after the deposit; null when it could not be read. */
export const yieldDepositAnswer = z.object({
  tx_signature: z.string(),
  status: z.literal('confirmed'),
  deployed: decimalAmount.nullable(),
  spend_id: spendId,
});

export const yieldWithdrawAnswer = z.object({ tx_signature: z.string(), spend_id: spendId });

/**
 * `liquid` is null when the balance could not be read, which is not zero. `accrued` is null while
 * yield is switched off and when the reserve could not be read.
 */
export const yieldPositionAnswer = z.object({
  liquid: decimalAmount.nullable(),
  deployed: decimalAmount,
  accrued: decimalAmount.nullable(),
  total_balance: decimalAmount,
});
