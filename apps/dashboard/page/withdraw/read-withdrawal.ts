import { formatUsdc, isAgentWalletError, usdc } from '@agent-wallet/sdk/owner';

/** What an amount in the form means. */
export type Reading =
  | { readonly kind: 'amount'; readonly amount: bigint }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads the text of the form; `liquid` is null while the balance cannot be read. */
export function readWithdrawal(text: string, liquid: bigint | null): Reading {
  let amount: bigint;
  try {
    amount = usdc(text.trim());
  } catch (error) {
    if (!isAgentWalletError(error, 'INVALID_AMOUNT')) throw error;
    return refused('Enter an amount such as 12.50, with at most six decimals.');
  }
  if (amount === 0n) return refused('Enter an amount above 0.');
  if (liquid !== null && amount > liquid) {
    return refused(`The vault holds ${formatUsdc(liquid)} USDC that can be withdrawn now.`);
  }
  return { kind: 'amount', amount };
}

const refused = (reason: string): Reading => ({ kind: 'refused', reason });
