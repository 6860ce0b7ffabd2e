import { useLocation } from 'preact-iso';
import { useMemo, useState } from 'preact/hooks';
import { Notice } from '../design/feedback/notice.tsx';
import { describeError } from '../failure/describe-error.ts';
import { OwnerContext, useCreateClient } from '../owner/owner-context.tsx';
import { ROUTES } from '../routes.ts';
import { Fullscreen } from '../shell/fullscreen.tsx';
import { WalletList } from '../sign-in/wallet-list.tsx';
import { TransactionProvider } from '../transactions/transaction-provider.tsx';
import type { SolanaWallet } from '../wallet/solana-wallet.ts';
import { type Connection, useWallet } from '../wallet/wallet-context.tsx';
import { Exit } from './exit.tsx';

/** The way out that needs the wallet and an RPC node alone: no sign-in, and nothing of the API. */
export const ExitPage = () => {
  const { connection, isReconnecting } = useWallet();
  return (
    <Fullscreen>
      <h1>Withdraw without the service</h1>
      <p class="soft">
        This page talks to the chain through an RPC node only, and your wallet signs each step. The
        service takes no part in it. <a href={ROUTES.overview}>Back to the wallet</a>
      </p>
      {connection !== null ? (
        <Connected key={connection.account.address} connection={connection} />
      ) : isReconnecting ? null : (
        <Connect />
      )}
    </Fullscreen>
  );
};

const Connect = () => {
  const { wallets, connect } = useWallet();
  const [busyWith, setBusyWith] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const choose = async (wallet: SolanaWallet) => {
    setBusyWith(wallet.name);
    setError(null);
    try {
      await connect(wallet);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusyWith(null);
    }
  };
  return (
    <>
      {error === null ? null : (
        <Notice kind="danger" title={describeError(error).title}>
          {describeError(error).remedy}
        </Notice>
      )}
      <WalletList
        wallets={wallets}
        action="Connect"
        busyWith={busyWith}
        onChoose={(wallet) => void choose(wallet)}
      />
    </>
  );
};

const Connected = ({ connection }: { readonly connection: Connection }) => {
  const createClient = useCreateClient();
  const { route } = useLocation();
  const owner = useMemo(
    () => ({
      address: connection.account.address,
      client: createClient(connection),
      expire: () => route(ROUTES.overview),
      signOut: async () => route(ROUTES.overview),
    }),
    [connection, createClient, route],
  );
  return (
    <OwnerContext.Provider value={owner}>
      <TransactionProvider>
        <Exit connection={connection} />
      </TransactionProvider>
    </OwnerContext.Provider>
  );
};
