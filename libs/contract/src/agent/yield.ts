import { z } from 'zod';
import { amountIn, decimalAmount, signedAmount } from '../fields/amount.ts';
import { SAMPLE } from '../fields/samples.ts';
import { spendId } from './spend.ts';

/** An agent's deposit or withdrawal, or an owner's deposit. */
export const yieldBody = z
  .object({ amount: amountIn }, { error: 'must be a JSON object' })
  .meta({ examples: [{ amount: 5_000_000 }] });

/** `all` withdraws the whole position, interest included. */
export const ownerYieldWithdrawBody = z
  .object(
    {
      amount: z.union([z.literal('all'), amountIn], {
        error: 'must be a positive number in base units, or "all"',
      }),
    },
    { error: 'must be a JSON object' },
  )
  .meta({ examples: [{ amount: 'all' }, { amount: 5_000_000 }] });

/** `deployed` is the principal after the deposit; null when it could not be read. */
export const yieldDepositAnswer = z
  .object({
    tx_signature: z.string(),
    status: z.literal('confirmed'),
    deployed: decimalAmount
      .nullable()
      .describe('Principal after the deposit; null when it could not be read.'),
    spend_id: spendId,
  })
  .meta({
    description: 'Deployed.',
    examples: [
      {
        tx_signature: SAMPLE.signature,
        status: 'confirmed',
        deployed: '5000000',
        spend_id: SAMPLE.spendId,
      },
    ],
  });

export const yieldWithdrawAnswer = z.object({ tx_signature: z.string(), spend_id: spendId }).meta({
  description: 'Returned to the vault.',
  examples: [{ tx_signature: SAMPLE.signature, spend_id: SAMPLE.spendId }],
});

/**
 * `liquid` is null when the balance could not be read, which is not zero. `accrued` is null while
 * yield is switched off and when the reserve could not be read.
 */
export const yieldPositionAnswer = z
  .object({
    liquid: decimalAmount.nullable().describe('Null when the balance could not be read.'),
    deployed: decimalAmount,
    accrued: decimalAmount.nullable().describe('Null while yield is off or cannot be read.'),
    total_balance: decimalAmount,
  })
  .meta({
    description: "The vault's position.",
    examples: [
      { liquid: '20000000', deployed: '5000000', accrued: '1200', total_balance: '25000000' },
    ],
  });

/** The owner's view: the position, and the life of the wallet in the reserve. */
export const walletYieldAnswer = yieldPositionAnswer
  .extend({
    deposited: decimalAmount.describe('USDC that the reserve has taken, in all.'),
    withdrawn: decimalAmount.describe('USDC that the reserve has paid, in all, with interest.'),
    earned: signedAmount
      .nullable()
      .describe(
        'What yield has earned over the life of the wallet, paid out or not. Null while collateral in the reserve cannot be valued, and once collateral has been swept in kind.',
      ),
  })
  .meta({
    description: 'The position, and what it has earned.',
    examples: [
      {
        liquid: '20000000',
        deployed: '5000000',
        accrued: '1200',
        total_balance: '25000000',
        deposited: '9000000',
        withdrawn: '4000800',
        earned: '2000',
      },
    ],
  });
