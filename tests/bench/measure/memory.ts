import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { median } from '../report/statistics.ts';

export const MEASURED = ['api', 'tx-worker', 'confirm-worker', 'chain'] as const;
type Name = (typeof MEASURED)[number];

export type Memory = {
  /** Resident, of which V8 may hold a part that it no longer needs. */
  readonly residentMib: number;
  /** The least that the heap held, so after a collection; null for the chain, which has no metrics. */
  readonly heapMib: number | null;
};

const LOOKS = 5;
const BETWEEN_LOOKS_MS = 1_000;
const KIB_PER_MIB = 1_024;
const HEAP_USED = /^nodejs_heap_size_used_bytes (\S+)$/m;

/** A few looks at a system at rest; the resident size from /proc, which only Linux has. */
export async function readMemory(system: System): Promise<Readonly<Record<Name, Memory>>> {
  return {
    api: await readOne(system, 'api'),
    'tx-worker': await readOne(system, 'tx-worker'),
    'confirm-worker': await readOne(system, 'confirm-worker'),
    chain: await readOne(system, 'chain'),
  };
}

async function readOne(system: System, name: Name): Promise<Memory> {
  const residents: number[] = [];
  const heaps: number[] = [];
  const url = system.urls.metrics[name];
  for (let look = 1; look <= LOOKS; look += 1) {
    await delay(BETWEEN_LOOKS_MS);
    residents.push(await residentMib(system.pid(name)));
    if (url !== undefined) heaps.push(await heapMib(url));
  }
  return {
    residentMib: median(residents),
    heapMib: heaps.length === 0 ? null : Math.min(...heaps),
  };
}

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / KIB_PER_MIB;
}

async function heapMib(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(HEAP_USED.exec(text)?.[1] ?? Number.NaN) / KIB_PER_MIB ** 2;
}
