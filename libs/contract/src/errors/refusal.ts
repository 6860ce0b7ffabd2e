import { z } from 'zod';
import { amountOut } from '../fields/amount.ts';

/**
 * The body of every answer that is not a success. The HTTP status together with `error` is the
 * contract; `code` is stable and finer, the fields after `retryable` appear where they have
 * meaning. `resets_at` and `opens_at` are unix seconds.
 */
export const refusal = z
  .object({
    error: z.string().describe('With the HTTP status, the contract.'),
    code: z.string().describe('Finer than error, and stable.'),
    layer: z.enum(['off-chain', 'on-chain']).describe('Who refused: the api, or the program.'),
    retryable: z.boolean().describe('Whether the same call can succeed later.'),
    detail: z.string().optional().describe("The program's words, or the like."),
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
      .describe('Unix seconds at which the window opens; null: not in sight.'),
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
