import { amountText } from './amount-text.ts';
import './amount.css';

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
