import { z } from 'zod';
import { amountOut } from '../fields/amount.ts';

/**
 * The body of every answer that is not a success. The HTTP status together with `error` is the
 * contract; `code` is stable and finer. The fields after `retryable` are sent where they
 * apply. `resets_at` and `opens_at` are unix seconds.
 */
export const refusal = z
  .object({
    error: z.string().describe('The contract, together with the HTTP status.'),
    code: z.string().describe('Stable and finer than error.'),
    layer: z.enum(['off-chain', 'on-chain']).describe('Who refused: the api, or the program.'),
    retryable: z.boolean().describe('Whether the same call can succeed later.'),
    detail: z.string().optional().describe("The program's error text, or a similar detail."),
    remedy: z.string().optional().describe('What the caller can do.'),
    resets_at: z
      .int()
      .nullable()
      .optional()
      .describe('Unix seconds at which the daily cap has room for this amount; null: never.'),
    opens_at: z
      .int()
      .nullable()
      .optional()
      .describe('Unix seconds at which the window opens; null: no opening in the next days.'),
    liquid: amountOut.optional(),
    amount: amountOut.optional(),
    deficit: amountOut.optional(),
    reserved: amountOut.optional(),
    deployed: amountOut.optional(),
    available: amountOut.optional(),
    max_per_call: amountOut.optional(),
    quoted: amountOut.optional(),
    max_amount: amountOut.optional(),
    spend_id: z.string().optional(),
    tx_signature: z.string().optional(),
  })
  .meta({ id: 'Refusal', description: 'The body of every answer that is not a success.' });

export type RefusalBody = z.infer<typeof refusal>;
