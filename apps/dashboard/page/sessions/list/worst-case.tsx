import { type LimitedSession, worstCase } from '@agent-wallet/sdk/owner';
import { amountText } from '../../design/content/amount-text.ts';
import './worst-case.css';

/** What a stolen key could spend by the limits on chain. `null` while the limits are not known. */
export const WorstCase = ({ session }: { readonly session: LimitedSession | null }) => {
  const found = session === null ? null : worstCase(session);
  const rows = [
    ['Now', found?.now],
    ['Within 24 hours', found?.within_24h],
    ['Until it expires', found?.until_expiry],
  ] as const;
  return (
    <dl class="worst-case">
      {rows.map(([when, amount]) => (
        <div key={when}>
          <dt>{when}</dt>
          <dd>{amount === undefined ? '—' : amountText(amount)}</dd>
        </div>
      ))}
    </dl>
  );
};
