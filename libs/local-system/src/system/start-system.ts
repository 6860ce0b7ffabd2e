import { mkdtempSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, Keypair, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import {
  appProcesses,
  dashboardProcess,
  type ProcessSpec,
  type Surroundings,
} from './app-processes.ts';
import { refuseForeignDatabase } from './foreign-database.ts';
import { createFaucet, type Faucet } from '../faucet/faucet.ts';
import { type LocalChain, startFaucetServer } from '../faucet/faucet-server.ts';
import { type Chain, type Site, startChain, startStore, type Store } from './foundations.ts';
import { claimPort } from '../process/free-port.ts';
import type { RestartableProcess } from '../process/process-group.ts';
import { openServiceHost } from '../paid-services/service-host.ts';
import { createReserveMarket } from '../chain/reserve-market.ts';
import { completeSpecs, startApps } from './start-apps.ts';
import { StartError } from './start-error.ts';
import { type PaidServices, startPaidServices } from './start-paid-services.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { StartSystemOptions, System } from './system.ts';

export type { StartSystemOptions, System } from './system.ts';

const FEE_PAYERS = 4;
const FEE_PAYER_LAMPORTS = 100 * 1_000_000_000;

/**
 * Starts the whole wallet on this machine: Postgres and its schema, a chain with the program and
 * USDC, the workers, the api, a faucet. Resolves when every process is ready. Several systems can
 * run side by side.
 *
 * A database belongs to one chain. Each start makes a new embedded chain, and so a new embedded
 * database, unless both are kept. Throws a StartError of one sentence when something cannot be
 * started, and leaves nothing running.
 */
export async function startSystem(options: StartSystemOptions = {}): Promise<System> {
  await using stack = new AsyncDisposableStack();
  const log = options.log ?? (() => undefined);
  // Ports first: one that is in use is reported before anything has started.
  const apiPort = await claimPort(options.apiPort ?? 0, 'PORT');
  const dashboardPort = await claimPort(options.dashboardPort ?? 0, 'DASHBOARD_PORT');
  const faucetPort = await claimPort(options.faucetPort ?? 0, 'FAUCET_PORT');
  const facilitatorPort =
    options.paidServices === true
      ? await claimPort(options.facilitatorPort ?? 0, 'FACILITATOR_PORT')
      : 0;
  const site = { ...(await makeFolders(options.dataDir, stack)), stack, log };
  const [store, { chain, local, feePayerKeys }] = await both(
    startStore(options, site),
    startFundedChain(options, site),
  );
  await refuseForeignDatabase({
    databaseUrl: store.databaseUrl,
    genesisHash: await new Connection(chain.rpcUrl).getGenesisHash(),
    isGivenChain: options.rpcUrl !== undefined,
  });
  const host = wantsServices(options, chain) ? stack.use(await openServiceHost()) : undefined;
  const surroundings: Surroundings = {
    databaseUrls: store.databaseUrls,
    redisUrl: options.redisUrl,
    programId: chain.programId,
    usdcMint: chain.usdcMint,
    rpcUrl: chain.rpcUrl,
    // The URL of a given chain can hold a key of its provider.
    publicRpcUrl: options.rpcUrl === undefined ? chain.rpcUrl : undefined,
    feePayerKeys,
    apiPort,
    dashboardPort,
    workers: { tx: options.workers?.tx ?? 1, confirm: options.workers?.confirm ?? 1 },
    loopbackServices: host === undefined ? [] : [host.origin],
    yieldEnabled: chain.mintAuthority !== undefined,
  };
  const wanted = (options.processes ?? everyProcess)(surroundings);
  const specs = await completeSpecs(options, surroundings, wanted);
  const [wallet, paid] = await both(
    startApps(options, specs, site),
    host === undefined
      ? Promise.resolve(NOTHING_PAID)
      : startPaidServices(options, surroundings, {
          host,
          port: facilitatorPort,
          faucet: local.faucet,
          operatorUrl: store.databaseUrls.operator,
          site,
        }),
  );
  const apps = new Map([...wallet, ...paid.apps]);
  const faucetServer = await startFaucetServer(local, faucetPort);
  stack.defer(() => faucetServer.stop());
  log(`faucet ready on ${faucetServer.url}`);
  for (const { slug, url, proof } of paid.services) log(`service ${slug} (${proof}) at ${url}`);
  const { logsDir } = site;
  const served = {
    faucet: faucetServer.url,
    reserve: faucetServer.reserveUrl,
    dashboard: `http://localhost:${dashboardPort}`,
    ...(paid.facilitatorUrl !== undefined && { facilitator: paid.facilitatorUrl }),
  };
  const { services: paidServices } = paid;
  return assemble({ store, chain, ...local, apps, logsDir, served, paidServices }, stack.move());
}

/** The chain, and fee payers that have money on it. */
async function startFundedChain(
  options: StartSystemOptions,
  site: Site,
): Promise<{ chain: Chain; local: LocalChain; feePayerKeys: readonly string[] }> {
  const chain = await startChain(options, site);
  const local = openLocalChain(chain);
  if (options.feePayerKeys !== undefined) {
    return { chain, local, feePayerKeys: options.feePayerKeys };
  }
  const { keep } = options;
  const feePayerKeys = keep?.feePayerKeys ?? makeFeePayers();
  if (keep === undefined || keep.isNew) await fundFeePayers(feePayerKeys, local.faucet);
  return { chain, local, feePayerKeys };
}

/** The faucet and the yield reserve's market; both refuse on a chain that is not embedded. */
function openLocalChain(chain: Chain): LocalChain {
  const connection = new Connection(chain.rpcUrl, 'confirmed');
  const usdcMint = new PublicKey(chain.usdcMint);
  const { mintAuthority } = chain;
  return {
    faucet: createFaucet({ connection, usdcMint, mintAuthority }),
    reserve: createReserveMarket({ connection, usdcMint, admin: mintAuthority }),
  };
}

const NOTHING_PAID: PaidServices = { services: [], apps: new Map(), facilitatorUrl: undefined };

/** Only the embedded chain has a faucet that gives the facilitator SOL. */
const wantsServices = (options: StartSystemOptions, chain: Chain): boolean =>
  options.paidServices === true && chain.mintAuthority !== undefined;

async function makeFolders(
  wanted: string | undefined,
  stack: AsyncDisposableStack,
): Promise<{ dataDir: string; logsDir: string }> {
  const dataDir = wanted ?? mkdtempSync(join(tmpdir(), 'agent-wallet-'));
  if (wanted === undefined) {
    stack.defer(() => rm(dataDir, { recursive: true, force: true }));
    // Postgres may run as another user (see postgres-binaries.ts), who must be able to traverse it.
    await chmod(dataDir, 0o711);
  }
  const logsDir = join(dataDir, 'logs');
  await mkdir(logsDir, { recursive: true });
  return { dataDir, logsDir };
}

/** Waits for both even if one fails, so that the other one is registered and can be stopped. */
async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

const makeFeePayers = (): string[] =>
  Array.from({ length: FEE_PAYERS }, () => bs58.encode(Keypair.generate().secretKey));

async function fundFeePayers(keys: readonly string[], faucet: Faucet): Promise<void> {
  const payers = keys.map((key) => Keypair.fromSecretKey(bs58.decode(key)));
  await Promise.all(payers.map((payer) => faucet.sol(payer.publicKey, FEE_PAYER_LAMPORTS)));
}

const everyProcess = (surroundings: Surroundings): ProcessSpec[] => [
  ...appProcesses(surroundings),
  dashboardProcess(surroundings),
];

/** Where a process serves /metrics: at its only port, or at one for that. */
function metricsUrlOf({ spec, url }: RestartableProcess): string {
  const port = spec.env['METRICS_PORT'];
  return port === undefined ? url : `http://127.0.0.1:${port}`;
}

function assemble(
  parts: LocalChain & {
    readonly store: Store;
    readonly chain: Chain;
    readonly apps: ReadonlyMap<string, RestartableProcess>;
    readonly logsDir: string;
    readonly paidServices: System['paidServices'];
    readonly served: Pick<System['urls'], 'faucet' | 'reserve' | 'dashboard' | 'facilitator'>;
  },
  stack: AsyncDisposableStack,
): System {
  const { store, chain, faucet, reserve, apps, logsDir } = parts;
  const urlOf = Object.fromEntries([...apps].map(([name, { url }]) => [name, url]));
  const metrics = Object.fromEntries([...apps].map(([name, one]) => [name, metricsUrlOf(one)]));

  function app(name: string): RestartableProcess {
    const found = apps.get(name);
    if (found === undefined) throw new StartError(`There is no process ${name} to start again.`);
    return found;
  }
  function running(name: string): SupervisedProcess {
    const foundations = [store.process, chain.process];
    const found = apps.get(name)?.current() ?? foundations.find((one) => one?.name === name);
    if (found === undefined) throw new StartError(`There is no process ${name}.`);
    return found;
  }

  return {
    urls: {
      api: urlOf['api'] ?? '',
      ...parts.served,
      rpc: chain.rpcUrl,
      ws: chain.wsUrl,
      processes: urlOf,
      metrics,
    },
    databaseUrl: store.databaseUrl,
    databaseUrls: store.databaseUrls,
    programId: chain.programId,
    usdcMint: chain.usdcMint,
    paidServices: parts.paidServices,
    logsDir,
    faucet,
    reserve,
    kill: async (name, signal = 'SIGKILL') => {
      running(name).signal(signal);
      return running(name).exited;
    },
    restart: async (name) => {
      await app(name).stop();
      await app(name).start();
    },
    pid: (name) => running(name).pid,
    pause: (name) => running(name).signal('SIGSTOP'),
    resume: (name) => running(name).signal('SIGCONT'),
    stop: () => stack.disposeAsync(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
