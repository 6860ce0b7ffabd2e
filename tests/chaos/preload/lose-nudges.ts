/**
 * Loaded first: some runs of a lane end slowly, between their last look at the queue and the
 * release of their lease. Until a moment later every nudge of the session is lost, whichever
 * process sends it, so that only the row knows of a spend accepted meanwhile.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { editOnLoad } from '../../mutants/on-load.ts';
import { nudgeEdits } from './nudge-edits.ts';

const SLOW_EVERY = 3;
const ENDS_FOR_MS = 300;
/** For sessions whose requests are timed to that moment. */
const ENDS_VERY_SLOWLY_MS = 1_500;
/** A run with spends left sends its own nudge right after the release. */
const LOST_AFTER_MS = 100;

const notesDir = process.env['CHAOS_NOTES_DIR'] ?? '';
let ends = 0;
let lost = 0;

const noteOf = (sessionId: string): string => join(notesDir, `ending.${sessionId}`);

async function endLane(sessionId: string): Promise<void> {
  ends += 1;
  const isAlwaysSlow = existsSync(join(notesDir, `slow.${sessionId}`));
  if (!isAlwaysSlow && ends % SLOW_EVERY !== 0) return;
  const endsForMs = isAlwaysSlow ? ENDS_VERY_SLOWLY_MS : ENDS_FOR_MS;
  writeFileSync(noteOf(sessionId), '');
  setTimeout(() => rmSync(noteOf(sessionId), { force: true }), endsForMs + LOST_AFTER_MS);
  await delay(endsForMs);
}

function isNudgeLost(sessionId: string): boolean {
  if (!existsSync(noteOf(sessionId))) return false;
  lost += 1;
  writeFileSync(join(notesDir, `lost.${process.pid}.${lost}`), sessionId);
  return true;
}

Object.assign(globalThis, { chaosEndLane: endLane, chaosIsNudgeLost: isNudgeLost });

editOnLoad(nudgeEdits);
