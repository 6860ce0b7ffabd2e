import { StatusBadge } from '../design/content/status-badge.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { useVault } from '../owner/vault-context.tsx';
import { AtRisk } from './at-risk.tsx';
import { Balance } from './balance.tsx';
import { LatestSpends } from './latest-spends.tsx';
import { PauseButton } from './pause-button.tsx';
import { SessionsAtAGlance } from './sessions-at-a-glance.tsx';
import './overview.css';

/** What the wallet holds, what could leave it, who may spend, and what they spent last. */
export const Overview = () => {
  const { wallet } = useVault();
  return (
    <>
      <header class="overview-header">
        <h1>Overview</h1>
        {wallet.paused ? (
          <StatusBadge kind="warning">Paused</StatusBadge>
        ) : (
          <StatusBadge kind="positive">Active</StatusBadge>
        )}
        <PauseButton />
      </header>
      {wallet.paused ? (
        <Notice kind="warning" title="All spending is paused.">
          No agent can spend, whatever its limits. You can still withdraw.
        </Notice>
      ) : null}
      <div class="overview-top">
        <Balance wallet={wallet} />
        <AtRisk />
      </div>
      <SessionsAtAGlance />
      <LatestSpends />
    </>
  );
};
