import { mkdtempSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Disturb } from '../row.ts';

const LOOK_EVERY_MS = 200;
/** A process writes its note just before it stops. */
const SURELY_STOPPED_MS = 100;
const SECOND_WAKES_LATER_MS = 1_000;

/** Returns a getter of a folder for notes of preloads, which creates it at the first call. */
export function createNotesDir(): () => string {
  let made: string | undefined;
  return () => {
    made ??= mkdtempSync(join(tmpdir(), 'agent-wallet-chaos-notes-'));
    return made;
  };
}

/**
 * Wakes processes that have stopped themselves: the first one when its lease has expired or the
 * second one has stopped with its lane; then the second one.
 */
export function wakeLater(getNotesDir: () => string, stoppedMs: number): Disturb {
  return async (world, _cast, { signal }) => {
    const notesDir = getNotesDir();
    while (!signal.aborted) {
      const sleepers = await readSleepers(notesDir);
      const second = sleepers.find(({ part }) => part === 'second');
      for (const sleeper of sleepers.filter(({ part }) => part === 'first')) {
        if (second === undefined && sleeper.sleptMs < stoppedMs) continue;
        world.countFault();
        await wake(notesDir, sleeper);
      }
      if (second !== undefined) {
        world.countFault();
        await delay(SECOND_WAKES_LATER_MS);
        await wake(notesDir, second);
      }
      await delay(LOOK_EVERY_MS);
    }
    // They still stop themselves while the world comes to rest: wake them at once.
    void wakeAtOnce(notesDir, world.closing);
  };
}

async function wakeAtOnce(notesDir: string, closing: AbortSignal): Promise<void> {
  for (let isLast = false; !isLast;) {
    isLast = closing.aborted;
    for (const sleeper of await readSleepers(notesDir)) await wake(notesDir, sleeper);
    await delay(LOOK_EVERY_MS, undefined, { signal: closing }).catch(() => undefined);
  }
  await rm(notesDir, { recursive: true, force: true });
}

type Sleeper = {
  readonly name: string;
  readonly part: string;
  readonly pid: number;
  readonly sleptMs: number;
};

async function readSleepers(notesDir: string): Promise<readonly Sleeper[]> {
  const sleepers = await Promise.all(
    (await readdir(notesDir)).map(async (name) => {
      const [part = '', pid = ''] = name.split('.');
      const { mtimeMs } = await stat(join(notesDir, name));
      return { name, part, pid: Number(pid), sleptMs: Date.now() - mtimeMs };
    }),
  );
  return sleepers.filter(({ sleptMs }) => sleptMs >= SURELY_STOPPED_MS);
}

async function wake(notesDir: string, { name, pid }: Sleeper): Promise<void> {
  await rm(join(notesDir, name));
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended meanwhile.
  }
}
