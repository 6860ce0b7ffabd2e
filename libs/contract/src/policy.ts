import { z } from 'zod';
import { amountOut } from './amount.ts';

/** Minutes of the day in `timezone` (an IANA name); `days` bit 0 = Monday … bit 6 = Sunday. */
export const timeWindow = z.object({
  start_min: z.int().min(0).max(1439),
  end_min: z.int().min(0).max(1439),
  days: z.int().min(0).max(127),
  timezone: z.string(),
});

/** The off-chain rules of a wallet; no time window means always open, no entry means no URL. */
export const policyAnswer = z.object({
  url_allowlist: z.array(z.object({ pattern: z.string(), max_per_call: amountOut })),
  time_window: timeWindow.nullable(),
});

export type PolicyAnswer = z.infer<typeof policyAnswer>;
