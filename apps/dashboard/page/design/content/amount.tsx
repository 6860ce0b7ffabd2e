import { formatUsdc } from '@agent-wallet/sdk/owner';
import './amount.css';

const DECIMALS = 2;

/** Base units as people read them: groups of thousands, two decimals or as many as are needed. */
export function amountText(baseUnits: bigint): string {
  const [whole = '0', fraction = ''] = formatUsdc(baseUnits).split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return `${grouped}.${fraction.padEnd(DECIMALS, '0')}`;
}

/** An amount of USDC, given in base units; null while it is not known. */
export const Amount = ({
  baseUnits,
  size = 'text',
}: {
  readonly baseUnits: bigint | null;
  readonly size?: 'text' | 'large';
}) => (
  <span class={`amount amount-${size}`}>
    {baseUnits === null ? '—' : amountText(baseUnits)}
    <span class="amount-unit"> USDC</span>
  </span>
);
