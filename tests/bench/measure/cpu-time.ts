/** CPU time of processes from /proc, which only Linux has. */
import { readdir, readFile } from 'node:fs/promises';

/** Linux reports ticks of 10 ms to user space on every platform that Node supports. */
const MS_PER_TICK = 10;

type Stat = { readonly parent: number; readonly ownMs: number; readonly reapedMs: number };

/** CPU time of one process, threads included, in milliseconds since its start. */
export async function cpuMsOf(pid: number): Promise<number> {
  return (await readStat(pid))?.ownMs ?? 0;
}

/**
 * CPU time of all descendants of a process, those that have ended included, in milliseconds. For
 * Postgres: its backends come and go, and the process that this system knows only supervises them.
 */
export async function cpuMsBelow(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = new Map<number, Stat>();
  for (const one of pids) {
    const stat = await readStat(one);
    if (stat !== null) stats.set(one, stat);
  }
  function below(parent: number): number {
    return [...stats]
      .filter(([, stat]) => stat.parent === parent)
      .reduce((sum, [child, stat]) => sum + stat.ownMs + stat.reapedMs + below(child), 0);
  }
  return below(pid);
}

async function readStat(pid: number): Promise<Stat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name of the process is in parentheses and may have spaces in it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (place: number): number => Number(fields[place] ?? 0);
  return {
    parent: field(1),
    ownMs: (field(11) + field(12)) * MS_PER_TICK,
    reapedMs: (field(13) + field(14)) * MS_PER_TICK,
  };
}
