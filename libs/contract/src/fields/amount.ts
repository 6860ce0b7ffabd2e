import { z } from 'zod';

/** Largest amount the chain can hold (u64), in base units. */
export const MAX_AMOUNT = 2n ** 64n - 1n;

const MAX_EXACT_JSON = 2n ** 53n;
const FAULT = 'must be a positive number in base units';

/**
 * An amount in USDC base units as a caller sends it, parsed to a bigint from 1 to 2^64 − 1.
 *
 * A JSON number is accepted up to 2^53 − 1, because JSON parsers change larger ones; those are sent
 * as decimal strings.
 */
export const amountIn = z
  .union(
    [
      z.number().meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      z.string().meta({ pattern: '^[0-9]{1,20}$' }),
    ],
    { error: `${FAULT}: an integer, or a decimal string` },
  )
  .superRefine((value, ctx) => {
    const fault = typeof value === 'number' ? faultOfNumber(value) : faultOfString(value);
    if (fault !== null) ctx.addIssue({ code: 'custom', message: fault });
  })
  .transform((value) => BigInt(value))
  .meta({ description: 'USDC base units, 1 to 2^64 − 1; from 2^53 on as a decimal string.' });

/** An amount in a response: a number up to 2^53, a decimal string above. */
export const amountOut = z
  .union([
    z.number().nonnegative().refine(Number.isInteger).meta({ type: 'integer' }),
    z.string().regex(/^[0-9]+$/),
  ])
  .meta({ description: 'USDC base units; above 2^53 a decimal string.' });

/** An amount in a response, always a decimal string. */
export const decimalAmount = z
  .string()
  .regex(/^[0-9]+$/)
  .meta({ description: 'USDC base units, a decimal string.' });

/** A gain or loss in a response, always a decimal string. */
export const signedAmount = z
  .string()
  .regex(/^(0|-?[1-9][0-9]*)$/)
  .meta({ description: 'USDC base units, a decimal string; a loss is negative.' });

/** The JSON form of `amount` (base units, not negative) that `amountOut` describes. */
export function toAmountOut(amount: bigint): number | string {
  return amount <= MAX_EXACT_JSON ? Number(amount) : amount.toString();
}

function faultOfNumber(value: number): string | null {
  if (value > Number.MAX_SAFE_INTEGER) {
    return `${FAULT}; a JSON number above ${Number.MAX_SAFE_INTEGER} loses digits, send it as a string`;
  }
  return Number.isSafeInteger(value) && value > 0 ? null : `${FAULT}: an integer above 0`;
}

function faultOfString(value: string): string | null {
  // Twenty digits hold every u64; the bound keeps BigInt off long input.
  if (!/^[0-9]+$/.test(value)) return `${FAULT}: decimal digits only`;
  if (value.length > 20 || BigInt(value) > MAX_AMOUNT) return `${FAULT} of at most ${MAX_AMOUNT}`;
  return BigInt(value) > 0n ? null : `${FAULT}: an integer above 0`;
}
