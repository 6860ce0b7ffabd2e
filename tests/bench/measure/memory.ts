import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { median } from '../report/statistics.ts';

export const MEASURED = ['api', 'tx-worker', 'confirm-worker', 'chain'] as const;

/** Resident MiB by process. */
export type Memory = Readonly<Record<(typeof MEASURED)[number], number>>;

const LOOKS = 5;
const BETWEEN_LOOKS_MS = 1_000;
const KIB_PER_MIB = 1_024;

/** The median of a few looks at a system at rest, from /proc, which only Linux has. */
export async function readMemory(system: System): Promise<Memory> {
  const looks: Memory[] = [];
  for (let look = 1; look <= LOOKS; look += 1) {
    await delay(BETWEEN_LOOKS_MS);
    looks.push({
      api: await residentMib(system.pid('api')),
      'tx-worker': await residentMib(system.pid('tx-worker')),
      'confirm-worker': await residentMib(system.pid('confirm-worker')),
      chain: await residentMib(system.pid('chain')),
    });
  }
  const of = (name: keyof Memory): number => median(looks.map((look) => look[name]));
  return {
    api: of('api'),
    'tx-worker': of('tx-worker'),
    'confirm-worker': of('confirm-worker'),
    chain: of('chain'),
  };
}

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / KIB_PER_MIB;
}
