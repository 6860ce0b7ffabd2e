import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { cpuMsBelow, cpuMsOf } from './cpu-time.ts';

const NODE_PROCESSES = ['api', 'tx-worker', 'confirm-worker', 'chain'] as const;

/** CPU milliseconds since its start, by process; `postgres` is the sum over all its backends. */
export type CpuByProcess = Readonly<Record<(typeof NODE_PROCESSES)[number] | 'postgres', number>>;

export async function readCpu(system: System): Promise<CpuByProcess> {
  const of = (name: (typeof NODE_PROCESSES)[number]): Promise<number> => cpuMsOf(system.pid(name));
  return {
    postgres: await cpuMsBelow(system.pid('postgres')),
    api: await of('api'),
    'tx-worker': await of('tx-worker'),
    'confirm-worker': await of('confirm-worker'),
    chain: await of('chain'),
  };
}
