import { sql } from 'slonik';
import { z } from 'zod';

/** HTTP methods of a service. */
export const SERVICE_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** How a service takes its money: our own header, or the facilitator path of standard x402 v2. */
export const SERVICE_PROOFS = ['x-payment-proof', 'x402'] as const;

export const serviceRow = z.object({
  slug: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  enabled: z.boolean(),
  payTo: z.string(),
  maxPrice: z.bigint(),
  method: z.enum(SERVICE_METHODS).nullable(),
  proof: z.enum(SERVICE_PROOFS),
  createdAt: z.date(),
});

/**
 * An entry of the catalog. `maxPrice` is the most that one call may cost, in base units; without
 * a method the request is a POST when there is a body, else a GET.
 */
export type Service = z.output<typeof serviceRow>;

export const serviceColumns = sql.fragment`
  slug, name, base_url as "baseUrl", enabled, pay_to as "payTo", max_price as "maxPrice", method,
  proof, created_at as "createdAt"
`;
