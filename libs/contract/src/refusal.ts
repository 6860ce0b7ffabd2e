import { z } from 'zod';
import { amountOut } from './amount.ts';

/**
 * The body of every answer that is not a success. The HTTP status together with `error` is the
 * contract; `code` is stable and finer, the fields after `retryable` appear where they have
 * meaning. `resets_at` and `opens_at` are unix seconds.
 */
export const refusal = z.object({
  error: z.string(),
  code: z.string(),
  layer: z.enum(['off-chain', 'on-chain']),
  retryable: z.boolean(),
  detail: z.string().optional(),
  remedy: z.string().optional(),
  resets_at: z.int().nullable().optional(),
  opens_at: z.int().nullable().optional(),
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
});

export type RefusalBody = z.infer<typeof refusal>;
