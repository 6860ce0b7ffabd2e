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
  const loaded = useLoad(
    `blast-radius ${wallet.paused} ${wallet.liquid}`,
    (client, signal) => client.walletBlastRadius({ signal }),
    { everyMs: REFRESH_MS },
  );
  const { value, kind } = loaded;
  const sessions = value?.live_sessions ?? 0;
  return (
    <Card title="What agents could spend at worst">
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
          <p class="soft">
            {value === undefined ? (
              <Skeleton width="80%" />
            ) : (
              `Now, by the limits of ${sessions === 1 ? 'one live session' : `${sessions} live sessions`}, if every key were stolen together${value.is_complete ? '' : '; only the newest sessions are counted'}.`
            )}
          </p>
        </>
      )}
    </Card>
  );
};

const Figure = ({ baseUnits }: { readonly baseUnits: bigint | undefined }) =>
  baseUnits === undefined ? <Skeleton width="6rem" /> : <Amount baseUnits={baseUnits} />;
