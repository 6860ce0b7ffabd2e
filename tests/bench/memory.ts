/** Samples the resident memory of the system's processes. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';

const PROCESSES = ['api', 'tx-worker', 'confirm-worker'] as const;
type Name = (typeof PROCESSES)[number];

const LOOK_EVERY_MS = 500;
const LOOK_TIMEOUT_MS = 10_000;
const KIB_PER_MIB = 1_024;
/** Memory counts as growing when the last third exceeds the middle third by this factor. */
export const MOST_GROWTH = 1.4;

export type MemoryOfProcess = {
  readonly name: Name;
  readonly beforeMib: number;
  readonly highestMib: number;
  readonly afterMib: number;
  /** The highest value of the last third divided by that of the middle third. */
  readonly growth: number;
};

type Look = ReadonlyMap<Name, number>;

export type MemoryWatch = {
  /** Ends the watch with one more sample. */
  readonly stop: () => Promise<readonly MemoryOfProcess[]>;
};

const run = promisify(execFile);

/** Resident MiB by process, from `ps`, which is available on all supported systems. */
async function look(system: System): Promise<Look> {
  const pids = PROCESSES.map((name) => system.pid(name));
  const { stdout } = await run('ps', ['-o', 'pid=,rss=', '-p', pids.join(',')], {
    timeout: LOOK_TIMEOUT_MS,
  });
  const mibByPid = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .map(([pid = 0, kib = 0]) => [pid, kib / KIB_PER_MIB] as const),
  );
  return new Map(PROCESSES.map((name, place) => [name, mibByPid.get(pids[place] ?? 0) ?? 0]));
}

/** Takes the first sample before any request. */
export async function watchMemory(system: System): Promise<MemoryWatch> {
  const looks: Look[] = [await look(system)];
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      await delay(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
      looks.push(await look(system));
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await watching;
      return PROCESSES.map((name) => summarize(name, looks));
    },
  };
}

function summarize(name: Name, looks: readonly Look[]): MemoryOfProcess {
  const mib = looks.map((one) => one.get(name) ?? 0);
  const third = Math.floor(mib.length / 3);
  const middle = Math.max(...mib.slice(third, 2 * third), 1);
  const last = Math.max(...mib.slice(2 * third), 1);
  return {
    name,
    beforeMib: mib[0] ?? 0,
    highestMib: Math.max(...mib),
    afterMib: mib.at(-1) ?? 0,
    growth: last / middle,
  };
}
