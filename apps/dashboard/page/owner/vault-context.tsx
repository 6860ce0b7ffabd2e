import { isAgentWalletError, type Wallet } from '@agent-wallet/sdk/owner';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { Fullscreen } from '../shell/fullscreen.tsx';
import { ROUTES } from '../routes.ts';
import { LoadingPage } from '../shell/loading-page.tsx';
import { CreateVault } from '../vault/create-vault.tsx';
import { describeError } from '../failure/describe-error.ts';
import { useLoad } from './use-load.ts';

/** How long a balance on the page may be old. */
const REFRESH_MS = 4_000;

type VaultState = {
  readonly wallet: Wallet;
  /** Whether the last reading failed, so that `wallet` is older than a few seconds. */
  readonly isStale: boolean;
  /** Reads the wallet again now, for example after a transaction. */
  readonly refresh: () => Promise<void>;
};

const Context = createContext<VaultState | null>(null);

/** The owner's wallet once its vault exists, read again every few seconds; creates it before. */
export const VaultProvider = ({ children }: { readonly children: ComponentChildren }) => {
  const { kind, value, error, refresh } = useLoad(
    'wallet',
    async (client, signal) => {
      try {
        return await client.wallet({ signal });
      } catch (reason) {
        if (isAgentWalletError(reason, 'WALLET_NOT_FOUND')) return null;
        throw reason;
      }
    },
    { everyMs: REFRESH_MS },
  );
  if (value === undefined) {
    if (kind === 'loading') return <LoadingPage />;
    const { title, remedy } = describeError(error);
    return (
      <Fullscreen>
        <Notice
          kind="danger"
          title={title}
          action={<Button onClick={() => void refresh()}>Try again</Button>}
        >
          {remedy} You can <a href={ROUTES.exit}>pause and withdraw without the service</a>.
        </Notice>
      </Fullscreen>
    );
  }
  if (value === null || value.status === 'pending') return <CreateVault onCreated={refresh} />;
  return (
    <Context.Provider value={{ wallet: value, isStale: kind === 'failed', refresh }}>
      {children}
    </Context.Provider>
  );
};

/** The wallet, whose vault exists. */
export function useVault(): VaultState {
  const state = useContext(Context);
  if (state === null) throw new Error('useVault outside of VaultProvider');
  return state;
}
