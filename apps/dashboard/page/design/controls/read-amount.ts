import { formatUsdc, isAgentWalletError, usdc } from '@agent-wallet/sdk/owner';

/** What an amount in a form means. */
export type AmountReading =
  | { readonly kind: 'amount'; readonly amount: bigint }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Reads the text of a form. `most` is in base units, null while it is not known; `what` names in the
 * reason of a refusal what is done with it, such as `withdrawn`.
 */
export function readAmount(text: string, most: bigint | null, what: string): AmountReading {
  let amount: bigint;
  try {
    amount = usdc(text.trim());
  } catch (error) {
    if (!isAgentWalletError(error, 'INVALID_AMOUNT')) throw error;
    return refused('Enter an amount such as 12.50, with at most six decimals.');
  }
  if (amount === 0n) return refused('Enter an amount above 0.');
  if (most !== null && amount > most) {
    return refused(`At most ${formatUsdc(most)} USDC can be ${what} now.`);
  }
  return { kind: 'amount', amount };
}

const refused = (reason: string): AmountReading => ({ kind: 'refused', reason });
