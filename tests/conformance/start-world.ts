import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { pickFreePort } from '@agent-wallet/local-system/process/free-port.ts';
import {
  appProcesses,
  dashboardProcess,
  type ProcessSpec,
  type Surroundings,
} from '@agent-wallet/local-system/system/app-processes.ts';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import { CUT, FORWARD, startFaultProxy } from '../support/rpc-proxy/fault-proxy.ts';
import { cloneTemplate } from '../support/database/clone-template.ts';

/** Where the one system of the run is; plain data, because tests run in other processes. */
export type World = Pick<System, 'databaseUrl' | 'databaseUrls' | 'programId' | 'usdcMint'> & {
  readonly urls: Pick<System['urls'], 'api' | 'dashboard' | 'rpc' | 'faucet' | 'reserve'>;
  /** Further apis on the same database and chain. */
  readonly apis: Readonly<Record<keyof typeof FURTHER_APIS, string>>;
  readonly confirmWorkerPid: number;
  /** Where on this machine a service may be paid that the tests open. */
  readonly servicePort: number;
};

declare module 'vitest' {
  interface ProvidedContext {
    readonly world: World;
  }
}

/** What sets them apart from the api that a deployment runs. */
const FURTHER_APIS = {
  /** Has lost its chain. */
  'api-cut': {},
  /** Switches nothing on, as a deployment does that was told nothing. */
  'api-plain': { AGENT_EXTENSIONS: 'false', YIELD_ENABLED: 'false' },
  /** Lets hardly anybody in. */
  'api-strict': { RATE_PER_SECOND: '1', RATE_BURST: '3', SIGN_IN_PER_MINUTE: '3' },
  /** Was told of a mint that is none on this chain. */
  'api-misconfigured': { USDC_MINT: 'So11111111111111111111111111111111111111112' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Runs once for `npm run conformance`: one whole system, and beside its api a few odd ones. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  const { templateUrl, systemsDir } = project.getProvidedContext();
  const database = stack.use(await cloneTemplate(templateUrl));
  let isCut = false;
  const deaths: string[] = [];
  const servicePort = await pickFreePort();
  const system = stack.use(
    await startSystem({
      databaseUrl: database.url,
      dataDir: join(systemsDir, 'conformance'),
      processes: withFurtherApis,
      env: { api: { LOOPBACK_SERVICES: `http://127.0.0.1:${servicePort}` } },
      rpcUrlFor: async (name, chainRpcUrl) => {
        if (name !== 'api-cut') return chainRpcUrl;
        return stack.use(await startFaultProxy(chainRpcUrl, () => (isCut ? CUT : FORWARD))).url;
      },
      onDeath: (_name, sentence) => deaths.push(sentence),
    }),
  );
  isCut = true;
  project.provide('world', { ...describe(system), servicePort });
  const everything = stack.move();
  return async () => {
    await everything.disposeAsync();
    if (deaths.length > 0) throw new Error(deaths.join('\n'));
  };
}

function withFurtherApis(surroundings: Surroundings): readonly ProcessSpec[] {
  const specs = appProcesses(surroundings);
  const [api] = specs.filter(({ role }) => role === 'api');
  if (api === undefined) throw new Error('the system has no api');
  const { port: _, ...portless } = api;
  return [
    ...specs,
    dashboardProcess(surroundings),
    ...Object.entries(FURTHER_APIS).map(([name, env]) => ({
      ...portless,
      name,
      env: { ...api.env, PG_POOL_SIZE: '5', ...env },
      ...(name === 'api-misconfigured' ? { startedAt: '/livez' as const } : {}),
    })),
  ];
}

function describe(system: System): Omit<World, 'servicePort'> {
  const { urls, databaseUrl, databaseUrls, programId, usdcMint } = system;
  const { api, dashboard, rpc, faucet, reserve } = urls;
  const urlOf = (name: string): string => urls.processes[name] ?? '';
  return {
    urls: { api, dashboard, rpc, faucet, reserve },
    databaseUrl,
    databaseUrls,
    programId,
    usdcMint,
    apis: {
      'api-cut': urlOf('api-cut'),
      'api-plain': urlOf('api-plain'),
      'api-strict': urlOf('api-strict'),
      'api-misconfigured': urlOf('api-misconfigured'),
    },
    confirmWorkerPid: system.pid('confirm-worker'),
  };
}
