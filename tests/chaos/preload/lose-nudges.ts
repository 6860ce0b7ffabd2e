/**
 * Loaded first: some runs of a lane end slowly, between their last look at the queue and the
 * release of their lease. Until a moment later every nudge of the wallet is lost, whichever
 * process sends it, so that only the row knows of a spend accepted meanwhile.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { editOnLoad } from '../../mutants/on-load.ts';
import { nudgeEdits } from './edits.ts';

const SLOW_EVERY = 3;
const ENDS_FOR_MS = 300;
/** For sessions whose requests are timed to that moment. */
const ENDS_VERY_SLOWLY_MS = 1_500;
/** A slow run, and one with spends left, sends its own nudge right after the release. */
const LOST_AFTER_MS = 500;

const notesDir = process.env['CHAOS_NOTES_DIR'] ?? '';
let ends = 0;
let lost = 0;

const noteOf = (id: string): string => join(notesDir, `ending.${id}`);

async function endLane(sessionId: string, walletId: string): Promise<void> {
  ends += 1;
  const isAlwaysSlow = existsSync(join(notesDir, `slow.${sessionId}`));
  if (!isAlwaysSlow && ends % SLOW_EVERY !== 0) return;
  const endsForMs = isAlwaysSlow ? ENDS_VERY_SLOWLY_MS : ENDS_FOR_MS;
  for (const id of [sessionId, walletId]) {
    writeFileSync(noteOf(id), '');
    setTimeout(() => rmSync(noteOf(id), { force: true }), endsForMs + LOST_AFTER_MS);
  }
  await delay(endsForMs);
}

function isNudgeLost(walletId: string): boolean {
  if (!existsSync(noteOf(walletId))) return false;
  lost += 1;
  writeFileSync(join(notesDir, `lost.${process.pid}.${lost}`), walletId);
  return true;
}

Object.assign(globalThis, { chaosEndLane: endLane, chaosIsNudgeLost: isNudgeLost });

editOnLoad(nudgeEdits);
