/** The fields of tools. Amounts are USDC as decimal text, times ISO 8601: what a model writes well. */
import { isAgentWalletError, usdc } from '@agent-wallet/sdk';
import { z } from 'zod';

/** An amount that a model names, such as `0.25`. Above 0; the SDK's `usdc` reads it. */
export const amountIn = z
  .string()
  .refine(isPositiveAmount, {
    error: "must be an amount of USDC above 0 as a decimal string such as '0.25'",
  })
  .describe(
    "USDC as a decimal string such as '0.25', with at most six decimals. Never base units.",
  );

/** An amount in a result. */
export const amountOut = z.string().describe("USDC as a decimal string such as '0.25'.");

/**
 * The idempotency key of a payment, which the model chooses.
 *
 * A key that the tool draws for each call would pay twice when the model repeats a call whose result
 * it did not see. A key derived from the arguments would refuse the second of two intended payments
 * of the same amount to the same recipient, and a conversation's id is lost when the client restarts.
 * Only the model knows whether it means the payment that it has asked for before, so it says so.
 * The key is the same for every tool: one `request_id` is one payment at most, whatever the tool.
 */
export const requestId = z
  .string()
  .regex(/^[\w.:-]{8,64}$/, {
    error: 'must have 8 to 64 letters, digits, or any of . _ : -',
  })
  .describe(
    'Name of this one payment, chosen by you: 8 to 64 letters, digits, or any of . _ : -. ' +
      "Derive it from what is paid ('invoice-2026-0117') or draw a UUID. Repeat it to repeat a " +
      'call: the same request_id never pays twice. Use a new one for every new payment.',
  );

export const recipient = z
  .string()
  .describe('Solana address (base58) of the wallet that is paid, not of its token account.');

/** ISO 8601 of unix seconds, null for null. */
export const timeOrNull = (seconds: number | null): string | null =>
  seconds === null ? null : timeOf(seconds);

/** ISO 8601 of unix seconds; of the last moment that has a form for those beyond. */
export function timeOf(seconds: number): string {
  const LAST_SECONDS = 8_640_000_000_000;
  return new Date(Math.min(seconds, LAST_SECONDS) * 1_000).toISOString();
}

function isPositiveAmount(text: string): boolean {
  try {
    return usdc(text) > 0n;
  } catch (error) {
    if (isAgentWalletError(error, 'INVALID_AMOUNT')) return false;
    throw error;
  }
}
