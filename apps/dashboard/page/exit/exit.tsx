import { createOwnerExit, type VaultOnChain } from '@agent-wallet/sdk/owner';
import { useMemo, useRef } from 'preact/hooks';
import { Amount } from '../design/content/amount.tsx';
import { LoadError } from '../design/feedback/load-error.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { SkeletonRows } from '../design/feedback/skeleton.tsx';
import { useSettings } from '../owner/deployment.tsx';
import { trustedDeployment } from '../owner/trusted-deployment.ts';
import { useLoad } from '../owner/use-load.ts';
import { signerOf } from '../wallet/solana-wallet.ts';
import type { Connection } from '../wallet/wallet-context.tsx';
import { ExitStep } from './exit-step.tsx';
import './exit.css';

const REFRESH_MS = 5_000;
const CALL_TIMEOUT_MS = 12_000;
/** So many revocations fit into one transaction. */
const MOST_REVOCATIONS = 10;

/** What the chain holds for the owner, and the steps that end it. */
export const Exit = ({ connection }: { readonly connection: Connection }) => {
  const settings = useSettings();
  const exit = useMemo(
    () =>
      createOwnerExit({
        rpcUrl: settings.rpcUrl,
        deployment: trustedDeployment(settings),
        signer: signerOf(connection.wallet, connection.account, `solana:${settings.cluster}`),
        timeoutMs: CALL_TIMEOUT_MS,
      }),
    [settings, connection],
  );
  const loaded = useLoad('vault on chain', (_client, signal) => exit.vault({ signal }), {
    everyMs: REFRESH_MS,
  });
  const { value: vault, refresh } = loaded;
  // A step that was taken stays, as done.
  const hadYield = useRef(false);
  hadYield.current ||= vault !== null && vault !== undefined && isDeployed(vault);
  if (vault === undefined) {
    return loaded.kind === 'failed' ? (
      <LoadError loaded={loaded} what="the vault from the chain" />
    ) : (
      <SkeletonRows count={4} />
    );
  }
  if (vault === null) {
    return (
      <Notice kind="info" title="There is no vault of this wallet on the chain.">
        Select the account that created it, if you have several.
      </Notice>
    );
  }
  const next = vault.sessions.slice(0, MOST_REVOCATIONS);
  return (
    <ol class="exit-steps">
      <ExitStep
        title="Pause all spending"
        action="Pause"
        state={vault.paused ? 'Paused: no session can spend.' : 'Sessions can spend now.'}
        isDone={vault.paused}
        prepare={() => exit.pause()}
        onDone={refresh}
      />
      <ExitStep
        title={next.length < vault.sessions.length ? 'Revoke ten sessions' : 'Revoke all sessions'}
        action="Revoke"
        state={sessionsText(vault)}
        isDone={unlistedSessions(vault) === 0n && next.length === 0}
        prepare={next.length === 0 ? null : () => exit.revoke(next)}
        onDone={refresh}
      />
      {!hadYield.current ? null : (
        <ExitStep
          title="Redeem from yield"
          action="Redeem"
          state={
            vault.collateral === 0n && vault.deployed_amount > 0n ? (
              'No collateral is left for the deployed amount: nothing can be redeemed. The command agent-wallet exit writes it off.'
            ) : (
              <>
                <Amount baseUnits={vault.deployed_amount} /> and its interest are in the yield
                reserve.
              </>
            )
          }
          isDone={!isDeployed(vault)}
          prepare={
            vault.collateral === 0n ? null : () => exit.redeem({ collateral: vault.collateral })
          }
          onDone={refresh}
        />
      )}
      <ExitStep
        title="Withdraw everything"
        action="Withdraw"
        state={
          <>
            <Amount baseUnits={vault.liquid} /> in the vault.
          </>
        }
        isDone={vault.liquid === 0n}
        prepare={() => exit.withdraw({ amount: 'all' })}
        onDone={refresh}
      />
    </ol>
  );
};

const isDeployed = ({ collateral, deployed_amount }: VaultOnChain): boolean =>
  collateral > 0n || deployed_amount > 0n;

/** Sessions that the vault counts and the node does not list; layout 1 of a vault counts none. */
const unlistedSessions = ({ open_sessions, sessions }: VaultOnChain): bigint => {
  const unlisted = (open_sessions ?? 0n) - BigInt(sessions.length);
  return unlisted > 0n ? unlisted : 0n;
};

function sessionsText(vault: VaultOnChain): string {
  const { sessions } = vault;
  const unlisted = unlistedSessions(vault);
  if (sessions.length === 0 && unlisted > 0n) {
    return `The vault counts ${unlisted} open sessions that this RPC node does not list. While the vault is paused, they cannot spend. The command agent-wallet exit revokes them through another node.`;
  }
  if (sessions.length === 0) return 'No session is open.';
  return sessions.length === 1 ? 'One session is open.' : `${sessions.length} sessions are open.`;
}
