import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

const GIB = 1_024 ** 3;

/** What a reader must know of the machine to compare numbers. */
export function readMachine(): Readonly<Record<string, string | number>> {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGib: Math.round(totalmem() / GIB),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    loadBefore: Number(loadavg()[0]?.toFixed(1)),
    at: new Date().toISOString(),
  };
}

export const describeMachine = (machine: ReturnType<typeof readMachine>): string =>
  `${machine['cores']} cores (${machine['processor']}), ${machine['memoryGib']} GiB, ` +
  `${machine['system']}, Node ${machine['node']}, load ${machine['loadBefore']} before`;
