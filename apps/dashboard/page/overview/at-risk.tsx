import type { WalletBlastRadius } from '@agent-wallet/sdk/owner';
import { useEffect } from 'preact/hooks';
import { Amount } from '../design/content/amount.tsx';
import { Card } from '../design/content/card.tsx';
import { LoadError } from '../design/feedback/load-error.tsx';
import { Skeleton } from '../design/feedback/skeleton.tsx';
import { useLoad } from '../owner/use-load.ts';
import { useVault } from '../owner/vault-context.tsx';

const REFRESH_MS = 15_000;

/** The most that could leave the vault if every session's key were stolen now. */
export const AtRisk = () => {
  const { wallet } = useVault();
  const loaded = useLoad('worst case', (client, signal) => client.walletBlastRadius({ signal }), {
    everyMs: REFRESH_MS,
  });
  const { value, kind, refresh } = loaded;
  useEffect(() => void refresh(), [refresh, wallet.paused, wallet.liquid]);
  return (
    <Card title="Agents could spend now, at worst">
      {kind === 'failed' && value === undefined ? (
        <LoadError loaded={loaded} what="the limits" />
      ) : (
        <>
          {value === undefined ? (
            <Skeleton width="12rem" height="2.85rem" />
          ) : (
            <Amount baseUnits={value.of_holdings.now} size="large" />
          )}
          <dl class="overview-figures">
            <div>
              <dt>Within 24 hours</dt>
              <dd>
                <Figure baseUnits={value?.of_holdings.within_24h} />
              </dd>
            </div>
            <div>
              <dt>Until their expiry</dt>
              <dd>
                <Figure baseUnits={value?.of_holdings.until_expiry} />
              </dd>
            </div>
          </dl>
          <p class="soft">{value === undefined ? <Skeleton width="80%" /> : meaningOf(value)}</p>
        </>
      )}
    </Card>
  );
};

const Figure = ({ baseUnits }: { readonly baseUnits: bigint | undefined }) =>
  baseUnits === undefined ? <Skeleton width="6rem" /> : <Amount baseUnits={baseUnits} />;

function meaningOf({ live_sessions, is_complete }: WalletBlastRadius): string {
  if (live_sessions === 0) return 'No session is live: no agent can spend.';
  if (live_sessions === 1)
    return 'The most that a thief of the one live session’s key could spend.';
  const counted = is_complete ? `all ${live_sessions}` : `the newest ${live_sessions}`;
  return `The most that a thief of the keys of ${counted} live sessions could spend.`;
}
