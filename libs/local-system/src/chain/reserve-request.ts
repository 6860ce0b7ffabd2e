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

/** A request to `POST /reserve`: exactly one of the three. */
export type ReserveRequest = z.output<typeof body>;

/** Parses the body of `POST /reserve`; null when it is none of the three. */
export function parseReserveRequest(text: string): ReserveRequest | null {
  try {
    return body.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
