import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findSpends, isPending } from '@agent-wallet/spend';
import { z } from 'zod';
import type { HttpAnswer } from '../../support/http/http-owner.ts';
import type { Disturb } from '../row.ts';
import { addOwner, transfer } from '../world/load.ts';
import type { World } from '../world/world.ts';

const LOOK_EVERY_MS = 200;
const FUNDS = 1_000_000_000n;
/** Above all amounts of the load, because each amount identifies one request. */
const FIRST_AMOUNT = 500_000;
const STORIES_AT_ONCE = 3;
const FIND_EVERY_MS = 20;
const FOUND_TIMEOUT_MS = 5_000;
/** The sweeper runs every two seconds. The checks report a spend that it has missed. */
const SWEPT_TIMEOUT_MS = 20_000;

/**
 * The processes themselves lose nudges (see the preload) and leave a note for each. Beside the
 * load, a few sessions request one spend at a time, exactly while their lane ends with nothing in
 * flight: then only the sweeper can find it.
 */
export function loseNudges(getNotesDir: () => string): Disturb {
  return async (world, cast, { signal }) => {
    const notesDir = getNotesDir();
    world.closing.addEventListener('abort', () => {
      void rm(notesDir, { recursive: true, force: true });
    });
    let amount = FIRST_AMOUNT;
    const stories = Array.from({ length: STORIES_AT_ONCE }, async () => {
      // Each with a wallet of its own, because a nudge wakes all lanes of one.
      const owner = await addOwner(world, cast, FUNDS);
      const session = await owner.createSession({ recipients: cast.recipients });
      await writeFile(join(notesDir, `slow.${session.sessionId}`), '');
      const request = (prefer: string): Promise<HttpAnswer> => {
        amount += 1;
        return transfer(world, cast, session, { amount, prefer });
      };
      const isEnding = (): boolean => existsSync(join(notesDir, `ending.${session.sessionId}`));
      while (!signal.aborted && (await loseOne(world, request, isEnding)));
    });
    await Promise.all([countLost(world, notesDir, signal), ...stories]);
  };
}

/** Returns false when the spend whose nudge was lost does not settle, which ends the story. */
async function loseOne(
  world: World,
  request: (prefer: string) => Promise<HttpAnswer>,
  isEnding: () => boolean,
): Promise<boolean> {
  // The settlement of this spend nudges the lane, which then finds nothing and ends.
  const first = await request('wait=30');
  if (first.status !== 200) return true;
  if (!(await isWithin(FOUND_TIMEOUT_MS, FIND_EVERY_MS, isEnding))) return true;
  const second = await request('wait=0');
  if (second.status !== 202) return true;
  const spendId = z.string().parse(second.body['spend_id']);
  return isWithin(SWEPT_TIMEOUT_MS, LOOK_EVERY_MS, async () => {
    const [spend] = await findSpends(world.db, [spendId]);
    return spend !== undefined && !isPending(spend.status);
  });
}

/** Returns whether `check` became true in time. */
async function isWithin(
  timeoutMs: number,
  intervalMs: number,
  check: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (await check()) return true;
    await delay(intervalMs);
  }
  return false;
}

async function countLost(world: World, notesDir: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(LOOK_EVERY_MS);
    const notes = (await readdir(notesDir)).filter((name) => name.startsWith('lost.'));
    for (const name of notes) {
      world.countFault();
      await rm(join(notesDir, name));
    }
  }
}
