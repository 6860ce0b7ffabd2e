import { amountOut, refusal } from '@agent-wallet/contract';
import type { z } from 'zod';

/** An amount of a reply as base units. */
export const amount = amountOut.transform((value) => BigInt(value));

/** The body of every reply that is not a success, with its amounts as base units. */
export const refusalReply = refusal.extend({
  liquid: amount.optional(),
  amount: amount.optional(),
  deficit: amount.optional(),
  reserved: amount.optional(),
  deployed: amount.optional(),
  available: amount.optional(),
  max_per_call: amount.optional(),
  quoted: amount.optional(),
  max_amount: amount.optional(),
});

/** A refusal of the API. Amounts are base units, `resets_at` and `opens_at` unix seconds. */
export type Refusal = z.output<typeof refusalReply>;

/** The fields of a refusal beside its contract: amounts, times, the spend, its signature. */
export type RefusalDetails = Omit<
  Refusal,
  'error' | 'code' | 'layer' | 'retryable' | 'remedy' | 'detail'
>;
