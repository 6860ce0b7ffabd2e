import { amountText } from '../../design/content/amount-text.ts';
import { Meter } from '../../design/content/meter.tsx';
import './spent-bar.css';

/** What a session has spent in the rolling 24 hours, against its cap. Amounts are base units. */
export const SpentBar = ({ spent, cap }: { readonly spent: bigint; readonly cap: bigint }) => (
  <div class="spent-bar">
    <p>
      <strong>{amountText(spent)}</strong>
      <span class="soft"> of {amountText(cap)} USDC spent in 24 hours</span>
    </p>
    <Meter used={spent} of={cap} />
  </div>
);
