import type { WalletAccount } from '@wallet-standard/base';
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import {
  connectWallet,
  disconnectWallet,
  type SolanaWallet,
  watchAccounts,
} from './solana-wallet.ts';
import { WalletError } from './wallet-error.ts';
import { useWallets } from './use-wallets.ts';

export type Connection = { readonly wallet: SolanaWallet; readonly account: WalletAccount };

type WalletState = {
  readonly wallets: readonly SolanaWallet[];
  /** Null while no wallet is connected. */
  readonly connection: Connection | null;
  /** Whether a wallet of an earlier visit may still connect by itself. */
  readonly isReconnecting: boolean;
  /** Throws a WalletError, also if the wallet offers no account for Solana. */
  readonly connect: (wallet: SolanaWallet) => Promise<Connection>;
  readonly disconnect: () => Promise<void>;
};

const REMEMBERED = 'agent-wallet:wallet';
/** Wallets register while the page loads. */
const REGISTRATION_MS = 1_000;

const Context = createContext<WalletState | null>(null);

/** The connected wallet, also after a reload, and with the account that it has selected now. */
export const WalletProvider = ({ children }: { readonly children: ComponentChildren }) => {
  const wallets = useWallets();
  const [connection, setConnection] = useState<Connection | null>(null);
  const [isReconnecting, setReconnecting] = useState(
    () => localStorage.getItem(REMEMBERED) !== null,
  );

  const connect = useCallback(async (wallet: SolanaWallet) => {
    const account = await connectWallet(wallet, { silent: false });
    if (account === undefined)
      throw new WalletError(`${wallet.name} offers no account for Solana.`);
    const connected = { wallet, account };
    localStorage.setItem(REMEMBERED, wallet.name);
    setConnection(connected);
    return connected;
  }, []);

  const disconnect = useCallback(async () => {
    localStorage.removeItem(REMEMBERED);
    setConnection(null);
    if (connection !== null) await disconnectWallet(connection.wallet);
  }, [connection]);

  const remembered = isReconnecting ? localStorage.getItem(REMEMBERED) : null;
  const known = wallets.find(({ name }) => name === remembered);
  useEffect(() => {
    if (!isReconnecting) return undefined;
    const end = () => setReconnecting(false);
    if (known === undefined) {
      const timer = setTimeout(end, REGISTRATION_MS);
      return () => clearTimeout(timer);
    }
    const reconnect = async () => {
      const account = await connectWallet(known, { silent: true }).catch(() => undefined);
      if (account !== undefined) setConnection({ wallet: known, account });
      end();
    };
    void reconnect();
    return undefined;
  }, [isReconnecting, known]);

  const wallet = connection?.wallet;
  useEffect(() => {
    if (wallet === undefined) return undefined;
    return watchAccounts(wallet, (account) =>
      setConnection(account === undefined ? null : { wallet, account }),
    );
  }, [wallet]);

  const state = useMemo(
    () => ({ wallets, connection, isReconnecting, connect, disconnect }),
    [wallets, connection, isReconnecting, connect, disconnect],
  );
  return <Context.Provider value={state}>{children}</Context.Provider>;
};

/** The wallets of the browser and the connected one. */
export function useWallet(): WalletState {
  const state = useContext(Context);
  if (state === null) throw new Error('useWallet outside of WalletProvider');
  return state;
}
