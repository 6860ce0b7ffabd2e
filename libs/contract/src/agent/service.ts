import { z } from 'zod';
import { amountIn, amountOut } from '../fields/amount.ts';
import { SAMPLE } from '../fields/samples.ts';

/** `method` null: POST when a body is sent, else GET. `max_price` is in base units. */
const serviceItem = z.object({
  slug: z.string(),
  name: z.string(),
  base_url: z.string(),
  enabled: z.boolean(),
  pay_to: z.string(),
  max_price: amountOut,
  method: z.string().nullable(),
  proof: z.enum(['x-payment-proof', 'x402']),
  created_at: z.iso.datetime(),
});

/** The services that an agent can pay by slug. */
export const servicesAnswer = z.object({ items: z.array(serviceItem) }).meta({
  description: 'The enabled entries of the catalog.',
  examples: [
    {
      items: [
        {
          slug: 'weather',
          name: 'Weather',
          base_url: 'https://api.example.com/weather',
          enabled: true,
          pay_to: SAMPLE.recipient,
          max_price: 50_000,
          method: 'GET',
          proof: 'x402',
          created_at: SAMPLE.iso,
        },
      ],
    },
  ],
});

const MAX_SLUG_CHARS = 200;

/**
 * A request to a service of the catalog. `path` is below the entry's URL; `body` is sent as JSON;
 * `max_amount` is the maximum price.
 */
export const serviceBody = z
  .object(
    {
      slug: z
        .string({ error: 'must be a string' })
        .max(MAX_SLUG_CHARS, { error: `must have at most ${MAX_SLUG_CHARS} characters` }),
      path: z.string({ error: 'must be a string' }).optional(),
      // Any JSON: it is already parsed, and walking a deeply nested value could overflow the stack.
      body: z.unknown().optional().describe('Sent as JSON.'),
      max_amount: amountIn,
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    examples: [{ slug: 'weather', path: '/berlin?days=3', max_amount: 50_000 }],
  });
