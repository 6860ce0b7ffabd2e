import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { median } from '../report/statistics.ts';

export const MEASURED = ['api', 'tx-worker', 'confirm-worker', 'chain'] as const;
type Name = (typeof MEASURED)[number];

export type Memory = {
  /** Resident, of which V8 and malloc may hold a part that they no longer need. */
  readonly residentMib: number;
  /** What the process says of its own heap; null for the chain, which has no metrics. */
  readonly heap: Heap | null;
};

export type Heap = {
  /** The least that was in use, so after a collection. */
  readonly usedMib: number;
  /** What V8 holds for it. */
  readonly totalMib: number;
  /** Buffers and other memory outside the heap that objects of the heap own. */
  readonly externalMib: number;
};

const LOOKS = 5;
const BETWEEN_LOOKS_MS = 1_000;
const KIB_PER_MIB = 1_024;

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
  const heaps: Heap[] = [];
  const url = system.urls.metrics[name];
  for (let look = 1; look <= LOOKS; look += 1) {
    await delay(BETWEEN_LOOKS_MS);
    residents.push(await residentMib(system.pid(name)));
    if (url !== undefined) heaps.push(await readHeap(url));
  }
  const [least = null] = heaps.toSorted((one, other) => one.usedMib - other.usedMib);
  return { residentMib: median(residents), heap: least };
}

/** The resident size of a process now. */
export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / KIB_PER_MIB;
}

async function readHeap(url: string): Promise<Heap> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const mib = (gauge: string): number => {
    const value = new RegExp(`^nodejs_${gauge}_bytes (\\S+)$`, 'm').exec(text)?.[1];
    return Number(value ?? Number.NaN) / KIB_PER_MIB ** 2;
  };
  return {
    usedMib: mib('heap_size_used'),
    totalMib: mib('heap_size_total'),
    externalMib: mib('external_memory'),
  };
}
