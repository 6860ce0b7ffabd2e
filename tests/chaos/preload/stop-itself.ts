/**
 * What the preloads share that stop their own process: it stops with SIGSTOP at an exact line of
 * its work and leaves a note, named after its part and its process, for the one who wakes it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const notesDir = process.env['CHAOS_NOTES_DIR'] ?? '';

/** @param about what the process was at, for the other one that waits for it */
export function stopItself(part: 'first' | 'second', about: string): void {
  writeFileSync(join(notesDir, `${part}.${process.pid}`), about);
  process.kill(process.pid, 'SIGSTOP');
}

/** Whether another process has stopped itself as the first one at the same thing. */
export function hasFirstStoppedAt(about: string): boolean {
  return readdirSync(notesDir).some((name) => {
    if (!name.startsWith('first.') || name.endsWith(`.${process.pid}`)) return false;
    try {
      return readFileSync(join(notesDir, name), 'utf8') === about;
    } catch {
      // It was woken just now.
      return false;
    }
  });
}
