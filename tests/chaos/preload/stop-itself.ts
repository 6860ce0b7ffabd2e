/**
 * For preloads that stop their own process with SIGSTOP at an exact point. A note, named after the
 * part and the process, tells the disturbance to wake it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const notesDir = process.env['CHAOS_NOTES_DIR'] ?? '';

/** Stops this process. `about` identifies its work for the process that waits for it. */
export function stopItself(part: 'first' | 'second', about: string): void {
  writeFileSync(join(notesDir, `${part}.${process.pid}`), about);
  process.kill(process.pid, 'SIGSTOP');
}

/** Returns whether another process has stopped as the first part at the same work. */
export function hasFirstStoppedAt(about: string): boolean {
  return readdirSync(notesDir).some((name) => {
    if (!name.startsWith('first.') || name.endsWith(`.${process.pid}`)) return false;
    try {
      return readFileSync(join(notesDir, name), 'utf8') === about;
    } catch {
      // The process has just been woken.
      return false;
    }
  });
}
