import { createOwnerClient, type OwnerClient } from '@agent-wallet/sdk/owner';
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { SignIn } from '../sign-in/sign-in.tsx';
import { signerOf } from '../wallet/solana-wallet.ts';
import { type Connection, useWallet } from '../wallet/wallet-context.tsx';
import { useSettings } from './deployment.tsx';
import { trustedDeployment } from './trusted-deployment.ts';
import {
  forgetSignedIn,
  readSignedIn,
  rememberSignedIn,
  type SignedInAs,
  watchSignedIn,
} from './signed-in.ts';

type OwnerState = {
  /** Base58 address of the owner. */
  readonly address: string;
  readonly client: OwnerClient;
  /** Shows the sign-in again, at the same route: the cookie is no longer valid. */
  readonly expire: () => void;
  readonly signOut: () => Promise<void>;
};

/** Short, because somebody waits; a confirmation on chain has a limit of its own. */
const CALL_TIMEOUT_MS = 12_000;

/** For pages that know the owner without a sign-in; views use `useOwner`. */
export const OwnerContext = createContext<OwnerState | null>(null);

/** Returns what makes the client of a connected wallet, which trusts the page's deployment. */
export function useCreateClient(): (connection: Connection) => OwnerClient {
  const settings = useSettings();
  return useCallback(
    ({ wallet, account }) =>
      createOwnerClient({
        url: settings.apiUrl,
        rpcUrl: settings.rpcUrl,
        site: location.host,
        deployment: trustedDeployment(settings),
        signer: signerOf(wallet, account, `solana:${settings.cluster}`),
        timeoutMs: CALL_TIMEOUT_MS,
      }),
    [settings],
  );
}

/** The signed-in owner; shows the sign-in while there is none, and keeps the route. */
export const OwnerProvider = ({ children }: { readonly children: ComponentChildren }) => {
  const { connection, disconnect } = useWallet();
  const [, setChanges] = useState(0);
  const [isExpired, setExpired] = useState(false);
  const changed = useCallback(() => setChanges((changes) => changes + 1), []);
  useEffect(() => watchSignedIn(changed), [changed]);

  const createClient = useCreateClient();
  const signedInAs = connection === null ? null : readSignedIn(connection.account.address);
  const onSignedIn = useCallback(
    (as: SignedInAs) => {
      rememberSignedIn(as);
      setExpired(false);
      changed();
    },
    [changed],
  );

  const address = signedInAs?.pubkey;
  const state = useMemo(() => {
    if (connection === null || address === undefined) return null;
    const client = createClient(connection);
    return {
      address,
      client,
      expire: () => {
        forgetSignedIn();
        setExpired(true);
        changed();
      },
      signOut: async () => {
        forgetSignedIn();
        changed();
        await client.signOut();
        await disconnect();
      },
    };
  }, [connection, address, createClient, changed, disconnect]);

  if (state === null) {
    return <SignIn createClient={createClient} isExpired={isExpired} onSignedIn={onSignedIn} />;
  }
  // Another owner starts anew: nothing of the one before may stay in a view.
  return (
    <OwnerContext.Provider key={state.address} value={state}>
      {children}
    </OwnerContext.Provider>
  );
};

/** The signed-in owner and their client. */
export function useOwner(): OwnerState {
  const state = useContext(OwnerContext);
  if (state === null) throw new Error('useOwner outside of OwnerProvider');
  return state;
}
