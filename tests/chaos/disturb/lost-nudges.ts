import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findSpends, isPending } from '@agent-wallet/spend';
import { z } from 'zod';
import {
  callApi,
  createHttpOwner,
  type HttpAnswer,
  type HttpSession,
} from '../../support/http/http-owner.ts';
import type { Cast } from '../world/load.ts';
import type { Disturb } from '../row.ts';
import type { World } from '../world/world.ts';

const LOOK_EVERY_MS = 200;
const FUNDS = 1_000_000_000n;
/** Above every amount of the load, so that each amount stays one ask's. */
const FIRST_AMOUNT = 500_000;
const STORIES_AT_ONCE = 3;
const FIND_EVERY_MS = 20;
const FOUND_TIMEOUT_MS = 5_000;
/** The sweeper comes every two seconds; with more than that something is wrong, and the checks say so. */
const SWEPT_TIMEOUT_MS = 20_000;

/**
 * The processes lose nudges themselves (see the preload); each one lost leaves a note. Beside the
 * load a few sessions ask for one spend at a time, just while their lane ends with nothing in
 * flight: then nothing but the sweeper can know of it.
 */
export function loseNudges(askNotesDir: () => string): Disturb {
  return async (world, cast, { signal }) => {
    const notesDir = askNotesDir();
    world.closing.addEventListener('abort', () => {
      void rm(notesDir, { recursive: true, force: true });
    });
    const owner = await createHttpOwner(world.system, world.fixture, FUNDS);
    const { walletId, vaultUsdcAta: tokenAccount } = owner;
    cast.purses.push({ walletId, tokenAccount, funds: FUNDS });
    let amount = FIRST_AMOUNT;
    const nextAmount = (): number => (amount += 1);
    const stories = Array.from({ length: STORIES_AT_ONCE }, async () => {
      const session = await owner.createSession({ recipients: cast.recipients });
      await writeFile(join(notesDir, `slow.${session.sessionId}`), '');
      const story = { session, notesDir, cast, nextAmount };
      while (!signal.aborted && (await loseOne(world, story)));
    });
    await Promise.all([countLost(world, notesDir, signal), ...stories]);
  };
}

type Story = {
  readonly session: HttpSession;
  readonly notesDir: string;
  readonly cast: Cast;
  readonly nextAmount: () => number;
};

/** False when the spend whose nudge was lost does not settle: there is no more to tell. */
async function loseOne(world: World, story: Story): Promise<boolean> {
  const { session, notesDir } = story;
  // Its settlement nudges the lane, which then finds nothing and ends.
  const first = await ask(world, story, 'wait=30');
  if (first.status !== 200) return true;
  if (!(await isThereWithin(join(notesDir, `ending.${session.sessionId}`)))) return true;
  const second = await ask(world, story, 'wait=0');
  if (second.status !== 202) return true;
  const spendId = z.string().parse(second.body['spend_id']);
  const deadline = performance.now() + SWEPT_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const [spend] = await findSpends(world.db, [spendId]);
    if (spend !== undefined && !isPending(spend.status)) return true;
    await delay(LOOK_EVERY_MS);
  }
  return false;
}

function ask(
  { system }: World,
  { session, cast, nextAmount }: Story,
  prefer: string,
): Promise<HttpAnswer> {
  return callApi(system, 'POST', '/v1/spend/transfer', {
    headers: { authorization: `Bearer ${session.apiKey}`, prefer },
    body: { recipient: cast.recipients[0], amount: nextAmount() },
  });
}

async function isThereWithin(note: string): Promise<boolean> {
  const deadline = performance.now() + FOUND_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (existsSync(note)) return true;
    await delay(FIND_EVERY_MS);
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
