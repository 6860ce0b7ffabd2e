import { formatUsdc } from '@agent-wallet/sdk/owner';

const DECIMALS = 2;

/** Base units as people read them: groups of thousands, two decimals or as many as are needed. */
export function amountText(baseUnits: bigint): string {
  const [whole = '0', fraction = ''] = formatUsdc(baseUnits).split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return `${grouped}.${fraction.padEnd(DECIMALS, '0')}`;
}
