import { LocationProvider, useLocation } from 'preact-iso';
import { ExitPage } from './exit/exit-page.tsx';
import { Deployment, SameDeployment } from './owner/deployment.tsx';
import { OwnerProvider } from './owner/owner-context.tsx';
import { VaultProvider } from './owner/vault-context.tsx';
import { ROUTES } from './routes.ts';
import { Shell } from './shell/shell.tsx';
import { Views } from './shell/views.tsx';
import { TransactionProvider } from './transactions/transaction-provider.tsx';
import { WalletProvider } from './wallet/wallet-context.tsx';

/** What the page knows of the deployment and the browser's wallets, and one of its two halves. */
export const App = () => (
  <LocationProvider>
    <Deployment>
      <WalletProvider>
        <Half />
      </WalletProvider>
    </Deployment>
  </LocationProvider>
);

/** The way out, which needs no service, or all the rest. */
const Half = () => (useLocation().path === ROUTES.exit ? <ExitPage /> : <WithService />);

/** The signed-in owner, then their vault: each shows its own view while it has nothing to pass on. */
const WithService = () => (
  <SameDeployment>
    <OwnerProvider>
      <TransactionProvider>
        <VaultProvider>
          <Shell>
            <Views />
          </Shell>
        </VaultProvider>
      </TransactionProvider>
    </OwnerProvider>
  </SameDeployment>
);
