const DECIMALS = 6;

/** Base units in one USDC. */
export const USDC = 1_000_000n;

/** Base units for people: `2500000n` reads `2.5 USDC`. */
export function inUsdc(baseUnits: bigint): string {
  const sign = baseUnits < 0n ? '-' : '';
  const digits = (baseUnits < 0n ? -baseUnits : baseUnits).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  const whole = digits.slice(0, -DECIMALS);
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`} USDC`;
}

/** The first characters of a signature or an address, enough to find it again by eye. */
export function inShort(text: string): string {
  return text.length > 12 ? `${text.slice(0, 8)}…` : text;
}
