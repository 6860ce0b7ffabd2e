import { z } from 'zod';

/** Base units or basis points: a number up to 2^53 − 1, or a decimal string. */
const whole = z
  .union([z.int().positive(), z.string().regex(/^[1-9][0-9]{0,18}$/)])
  .transform((value) => BigInt(value));

const body = z.union([
  z.strictObject({ lend_out: whole }),
  z.strictObject({ accrue: whole }),
  z.strictObject({ repay: z.literal(true) }),
]);

/** What `POST /reserve` asks for: exactly one of the three. */
export type ReserveRequest = z.output<typeof body>;

/** Reads the body of `POST /reserve`; null when it asks for nothing that there is. */
export function parseReserveRequest(text: string): ReserveRequest | null {
  try {
    return body.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
