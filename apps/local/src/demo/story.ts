import { spendAllAtOnce } from './acts/burst.ts';
import { takeBack } from './cast/keys.ts';
import { openVault } from './acts/opening.ts';
import { meetTheHours, payServices } from './acts/payments.ts';
import { reckon } from './acts/reckoning.ts';
import { tryTheLimits } from './acts/refusals.ts';
import { putToWork } from './acts/saving.ts';
import { CROWD_SIZE, openSessions } from './acts/sessions.ts';
import { spendToTheCap, spendWithinLimits } from './acts/spending.ts';
import type { Stage } from './stage.ts';

/** init_vault, add_session for each agent, revoke_session. */
const OWNER_EVENTS = 1 + (1 + CROWD_SIZE) + 1;
/** add_session for the agent that pays services. */
const EVENTS_OF_PAYMENTS = 1;

/** A key that still works after the demo, to try the API by hand. */
export type Leftover = {
  readonly apiKey: string;
  readonly listed: string;
  readonly unlisted: string;
};

/** The main job from sign-in to the reconciliation. Throws when a step cannot be finished. */
export async function tellStory(stage: Stage): Promise<Leftover> {
  const cast = await openVault(stage);
  const agents = await openSessions(stage, cast);
  const [dismissed, kept] = agents.crowd;
  if (dismissed === undefined || kept === undefined) throw new Error('the crowd is too small');
  await spendWithinLimits(stage, cast, agents);
  await tryTheLimits(stage, cast, agents);
  await spendToTheCap(stage, cast, agents);
  await spendAllAtOnce(stage, cast, agents);
  const paid = await payServices(stage, cast);
  const savings = await putToWork(stage, cast, kept);
  await meetTheHours(stage, cast, kept);
  await takeBack(stage, cast, dismissed);
  const ownerEvents = OWNER_EVENTS + (paid ? EVENTS_OF_PAYMENTS : 0) + savings.ownerEvents;
  await reckon(stage, cast, { ownerEvents, earned: savings.earned });
  return { apiKey: kept.apiKey, listed: cast.bakery, unlisted: cast.stranger };
}
