import { z } from 'zod';
import { amountIn, amountOut } from '../fields/amount.ts';
import { policyAnswer } from '../owner/policy.ts';
import { refusal } from '../errors/refusal.ts';
import { SAMPLE, SAMPLE_POLICY, SAMPLE_SESSION } from '../fields/samples.ts';
import { sessionAnswer } from '../owner/session.ts';
import { signPaymentBody, transferBody } from './spend.ts';

const {
  session_pda: _pda,
  session_pubkey: _key,
  session_index: _index,
  daily_spent_by_hour: _hours,
  key_prefix: _prefix,
  created_at: _at,
  ...OWN
} = SAMPLE_SESSION;
const LIMITS = {
  ...OWN,
  ...SAMPLE_POLICY,
  paused: false,
  window_open: true,
  opens_at: null,
  liquid: 25_000_000,
  deployed_amount: 0,
  max_deployed_fraction_bp: 2_500,
};

/**
 * The limits of an agent's session now. Times are unix seconds. `opens_at` is null while the window
 * is open, and when no opening is in sight.
 */
export const agentLimitsAnswer = sessionAnswer
  .omit({
    session_pda: true,
    session_pubkey: true,
    session_index: true,
    daily_spent_by_hour: true,
    key_prefix: true,
    created_at: true,
  })
  .extend({
    ...policyAnswer.shape,
    paused: z.boolean(),
    window_open: z.boolean(),
    opens_at: z.int().nullable(),
    liquid: amountOut,
    deployed_amount: amountOut,
    max_deployed_fraction_bp: z.int(),
  })
  .meta({
    description: "The limits of the key's session now.",
    examples: [LIMITS],
  });

const KINDS = 'must be transfer, sign_payment, pay_service, yield_deposit or yield_withdraw';

/** The spend to quote; for `pay_service`, `amount` is the expected price of the service. */
export const quoteBody = z
  .discriminatedUnion(
    'kind',
    [
      transferBody.extend({ kind: z.literal('transfer') }),
      signPaymentBody.omit({ facilitator: true }).extend({ kind: z.literal('sign_payment') }),
      z.object({
        kind: z.literal('pay_service'),
        slug: z.string({ error: 'must be a string' }),
        amount: amountIn,
      }),
      z.object({ kind: z.literal('yield_deposit'), amount: amountIn }),
      z.object({ kind: z.literal('yield_withdraw'), amount: amountIn }),
    ],
    { error: (issue) => (issue.code === 'invalid_union' ? KINDS : 'must be a JSON object') },
  )
  .meta({ examples: [{ kind: 'transfer', recipient: SAMPLE.recipient, amount: 250_000 }] });

export type QuoteBody = z.output<typeof quoteBody>;

/**
 * `refusals` are those that the spend would get now, in the order of the rules. `fits_at`: unix
 * seconds from which the spend would pass by waiting alone; now if it would pass now, null if
 * waiting does not help or the time is unknown.
 */
export const quoteAnswer = z
  .object({
    allowed: z.boolean(),
    fits_at: z
      .int()
      .nullable()
      .describe(
        'Unix seconds from which the spend would pass by waiting alone; null: waiting does not help.',
      ),
    refusals: z.array(refusal.extend({ status: z.int().describe('HTTP status of the refusal.') })),
  })
  .meta({
    description: 'The predicted outcome; nothing moved.',
    examples: [{ allowed: true, fits_at: SAMPLE.seconds, refusals: [] }],
  });
