import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import type { StartSystemOptions } from '@agent-wallet/local-system/system/start-system.ts';
import { afterAll, beforeAll } from 'vitest';
import { createLaneFixture, type LaneFixture } from '../system/lane-fixture.ts';
import { useSystem } from '../system/use-system.ts';
import { type Fate, type RpcCall, startFaultProxy } from './fault-proxy.ts';

/**
 * A system without the api, whose workers reach the chain through a proxy that decides what becomes
 * of each call. The returned function returns the fixture, in tests and later hooks.
 */
export function useWorkersBehindProxy(
  fateOf: (call: RpcCall) => Fate,
  options: StartSystemOptions = {},
): () => LaneFixture {
  const stack = new AsyncDisposableStack();
  const system = useSystem({
    processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
    rpcUrlFor: async (_name, chainRpcUrl) =>
      stack.use(await startFaultProxy(chainRpcUrl, fateOf)).url,
    ...options,
  });
  let fixture: LaneFixture | undefined;
  beforeAll(async () => {
    fixture = stack.use(await createLaneFixture(system()));
  });
  afterAll(async () => stack.disposeAsync());
  return () => {
    if (fixture === undefined) throw new Error('The fixture is there from beforeAll on.');
    return fixture;
  };
}
