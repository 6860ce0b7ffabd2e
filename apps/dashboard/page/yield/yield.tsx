import { Card } from '../design/content/card.tsx';
import { LoadError } from '../design/feedback/load-error.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { Skeleton } from '../design/feedback/skeleton.tsx';
import { useLoad } from '../owner/use-load.ts';
import { useVault } from '../owner/vault-context.tsx';
import { DepositCard } from './deposit-card.tsx';
import { ShareCard } from './share-card.tsx';
import { YieldFigures } from './yield-figures.tsx';
import { WithdrawCard } from './withdraw-card.tsx';
import './yield.css';

const REFRESH_MS = 10_000;

/** What is deployed to the yield reserve, what it has earned, and moving USDC there and back. */
export const Yield = () => {
  const { wallet, refresh } = useVault();
  const loaded = useLoad(
    'yield',
    async (client, signal) => {
      const [position, { yield_enabled }] = await Promise.all([
        client.yieldPosition({ signal }),
        client.config({ signal }),
      ]);
      return { position, isEnabled: yield_enabled };
    },
    { everyMs: REFRESH_MS },
  );
  const { kind, value } = loaded;
  const onMoved = async () => {
    await Promise.all([refresh(), loaded.refresh()]);
  };
  return (
    <>
      <header class="yield-head">
        <h1>Yield</h1>
        <p class="soft">
          The vault can lend USDC to one reserve. Nothing moves by itself: you or an agent that may
          do so move it, and it has to come back before it can be spent.
        </p>
      </header>
      {kind === 'failed' ? <LoadError loaded={loaded} what="the position" /> : null}
      {value?.isEnabled === false ? (
        <Notice kind="info" title="Yield is switched off in this environment.">
          The service takes no deposits and builds no withdrawals (503 YIELD_DISABLED). The position
          below stays readable, and what is deployed stays yours: the command line withdraws it with
          an RPC node alone.
        </Notice>
      ) : null}
      <Card title="Position">
        {value === undefined ? (
          <Skeleton height="8.5rem" />
        ) : (
          <YieldFigures
            position={value.position}
            isEnabled={value.isEnabled}
            maxShareBp={wallet.max_deployed_fraction_bp}
          />
        )}
      </Card>
      {value?.isEnabled === true ? (
        <div class="yield-moves">
          <DepositCard
            position={value.position}
            maxShareBp={wallet.max_deployed_fraction_bp}
            onMoved={onMoved}
          />
          <WithdrawCard position={value.position} onMoved={onMoved} />
        </div>
      ) : null}
      <ShareCard currentBp={wallet.max_deployed_fraction_bp} onChanged={onMoved} />
    </>
  );
};
