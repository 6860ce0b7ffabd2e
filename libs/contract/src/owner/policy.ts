import { z } from 'zod';
import { amountIn, amountOut } from '../fields/amount.ts';
import { SAMPLE_POLICY } from '../fields/samples.ts';

/** Maximum number of entries in a wallet's URL allowlist. */
const MAX_URL_PATTERNS = 100;

/** Minutes of the day in `timezone` (an IANA name); `days` bit 0 = Monday … bit 6 = Sunday. */
export const timeWindow = z.object({
  start_min: z.int().min(0).max(1439),
  end_min: z.int().min(0).max(1439),
  days: z.int().min(0).max(127),
  timezone: z.string(),
});

/** The off-chain rules of a wallet. No time window: always open; no entry: every URL is denied. */
export const policyAnswer = z.object({
  url_allowlist: z.array(z.object({ pattern: z.string(), max_per_call: amountOut })),
  time_window: timeWindow.nullable(),
});

export type PolicyAnswer = z.infer<typeof policyAnswer>;

/** `version` counts the changes; 0 before the first one. */
export const walletPolicyAnswer = policyAnswer
  .extend({ version: z.int().describe('Counts the changes; 0 before the first one.') })
  .meta({
    description: 'The off-chain rules in force.',
    examples: [{ version: 3, ...SAMPLE_POLICY }],
  });

export type WalletPolicyAnswer = z.infer<typeof walletPolicyAnswer>;

const within = (max: number, unit: string) => {
  const error = `must be an integer from 0 to ${max} (${unit})`;
  return z.int({ error }).min(0, { error }).max(max, { error });
};

const urlEntryIn = z.object(
  {
    pattern: z
      .string({ error: 'must be a string' })
      .describe(
        'An https URL with a literal host. In the path, * matches one segment and a final ** any rest.',
      ),
    max_per_call: amountIn,
  },
  { error: 'must be an object with pattern and max_per_call' },
);

const timeWindowIn = z.object(
  {
    start_min: within(1439, 'minute of the day'),
    end_min: within(1439, 'minute of the day'),
    days: within(127, 'bit 0 is Monday, bit 6 is Sunday'),
    timezone: z.string({ error: 'must be a string' }).describe('An IANA name.'),
  },
  { error: 'must be null or an object with start_min, end_min, days and timezone' },
);

/** Both fields are required: an omitted one must not lift a rule. */
export const policyBody = z
  .object(
    {
      url_allowlist: z
        .array(urlEntryIn, { error: 'must be an array of objects with pattern and max_per_call' })
        .max(MAX_URL_PATTERNS, { error: `must hold at most ${MAX_URL_PATTERNS} entries` }),
      time_window: timeWindowIn.nullable(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({ examples: [SAMPLE_POLICY] });

export type PolicyBody = z.output<typeof policyBody>;
