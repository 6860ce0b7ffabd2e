import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { facilitatorProcess, type Surroundings } from './app-processes.ts';
import type { Site } from './foundations.ts';
import { completeSpecs, startApps } from './start-apps.ts';
import type { StartSystemOptions, System } from './system.ts';
import type { Faucet } from '../faucet/faucet.ts';
import type { ServiceHost } from '../paid-services/service-host.ts';
import type { RestartableProcess } from '../process/process-group.ts';

const FEE_PAYER_LAMPORTS = 1_000_000_000;

/** What a system with paid services has beside the wallet. */
export type PaidServices = {
  readonly services: System['paidServices'];
  readonly apps: ReadonlyMap<string, RestartableProcess>;
  readonly facilitatorUrl: string | undefined;
};

/**
 * Starts the x402 facilitator with a new fee payer, opens the paid services at `host`, and lists
 * them in the catalog as the operator.
 */
export async function startPaidServices(
  options: StartSystemOptions,
  surroundings: Surroundings,
  {
    host,
    port,
    faucet,
    operatorUrl,
    site,
  }: {
    readonly host: ServiceHost;
    /** Of the facilitator. */
    readonly port: number;
    readonly faucet: Faucet;
    readonly operatorUrl: string;
    readonly site: Site;
  },
): Promise<PaidServices> {
  const feePayer = Keypair.generate();
  // Ready only with a fee payer that can pay.
  await faucet.sol(feePayer.publicKey, FEE_PAYER_LAMPORTS);
  const facilitatorUrl = `http://127.0.0.1:${port}`;
  const spec = facilitatorProcess(surroundings, {
    port,
    feePayerKey: bs58.encode(feePayer.secretKey),
  });
  // The services are imported on demand: the reference implementation of x402 is large.
  const [apps, { openLocalServices }, { listInCatalog }] = await Promise.all([
    completeSpecs(options, surroundings, [spec]).then((specs) => startApps(options, specs, site)),
    import('../paid-services/local-services.ts'),
    import('../paid-services/list-in-catalog.ts'),
  ]);
  const { rpcUrl, usdcMint } = surroundings;
  const services = await openLocalServices(host, { rpcUrl, usdcMint, facilitatorUrl, faucet });
  await listInCatalog(operatorUrl, services);
  return { services, apps, facilitatorUrl };
}
