import { MAX_AMOUNT } from '@agent-wallet/contract';
import { AgentWalletError } from '../http/agent-wallet-error.ts';

const DECIMALS = 6;
const ONE = 10n ** BigInt(DECIMALS);
/** Twenty digits hold every u64; the bound keeps BigInt off long input. */
const DECIMAL = /^(?<whole>[0-9]{1,20})(?:\.(?<fraction>[0-9]{1,6}))?$/;

/**
 * The base units of a decimal amount of USDC: `usdc('0.25')` is `250000n`.
 *
 * Takes text, because a JavaScript number does not hold every decimal amount. Throws
 * `INVALID_AMOUNT` for any other text: a sign, an exponent, separators, more than six decimals, more
 * than 2^64 − 1 base units.
 */
export function usdc(decimal: string): bigint {
  const parts = typeof decimal === 'string' ? DECIMAL.exec(decimal)?.groups : undefined;
  if (parts === undefined) throw invalid(decimal);
  const { whole = '0', fraction = '' } = parts;
  const amount = BigInt(whole) * ONE + BigInt(fraction.padEnd(DECIMALS, '0'));
  if (amount > MAX_AMOUNT) throw invalid(decimal);
  return amount;
}

/** The exact decimal text of base units, without trailing zeros: `250000n` is `0.25`. */
export function formatUsdc(amount: bigint): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${size / ONE}${fraction === '' ? '' : `.${fraction}`}`;
}

function invalid(decimal: unknown): AgentWalletError {
  const shown = typeof decimal === 'string' ? `'${decimal.slice(0, 40)}'` : `a ${typeof decimal}`;
  return new AgentWalletError({
    code: 'INVALID_AMOUNT',
    error: `${shown} is not an amount of USDC: write a decimal string such as '0.25', with at most six decimals`,
  });
}
