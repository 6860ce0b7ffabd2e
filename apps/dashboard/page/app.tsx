import { LocationProvider } from 'preact-iso';
import { Deployment } from './owner/deployment.tsx';
import { OwnerProvider } from './owner/owner-context.tsx';
import { VaultProvider } from './owner/vault-context.tsx';
import { Shell } from './shell/shell.tsx';
import { Views } from './shell/views.tsx';
import { TransactionProvider } from './transactions/transaction-provider.tsx';
import { WalletProvider } from './wallet/wallet-context.tsx';

/**
 * From the outside in: what the page knows of the deployment, the connected wallet, the signed-in
 * owner, their vault. Each shows its own view while it has nothing to pass on.
 */
export const App = () => (
  <LocationProvider>
    <Deployment>
      <WalletProvider>
        <OwnerProvider>
          <TransactionProvider>
            <VaultProvider>
              <Shell>
                <Views />
              </Shell>
            </VaultProvider>
          </TransactionProvider>
        </OwnerProvider>
      </WalletProvider>
    </Deployment>
  </LocationProvider>
);
