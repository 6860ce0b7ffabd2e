import { z } from 'zod';
import { amountOut } from './amount.ts';

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
export const servicesAnswer = z.object({ items: z.array(serviceItem) });
