import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@agent-wallet/db';
import { endsWithin } from '@agent-wallet/process';
import {
  closeLanded,
  type Delivery,
  findDelivery,
  findSpends,
  isLanded,
  isPending,
  readProgress,
  type Spend,
} from '@agent-wallet/spend';
import { type OutcomeWaiter, awaitOutcome } from '../spend/answer/await-outcome.ts';
import type { CancelSpend } from '../spend/answer/cancel-spend.ts';
import type { Wait } from '../spend/spend-headers.ts';
import type { Deliverer } from './deliverer.ts';

/** A payment to a service as far as it has come, and what it bought. */
export type Followed = { readonly spend: Spend; readonly delivery: Delivery | null };

type Deps = {
  readonly db: Database;
  readonly waiter: OutcomeWaiter;
  readonly cancelSpend: CancelSpend;
  readonly deliverer: Deliverer;
  readonly onFault: (error: unknown) => void;
};

const LOOK_INTERVAL_MS = 250;
/** Tries that one request waits for. */
const TRIES_AWAITED = 3;

/**
 * Follows an accepted payment for as long as the caller waits: until it can be shown, through the
 * delivery, and for a facilitator's until its outcome is known. The payment continues without the
 * caller.
 */
export async function followPayment(deps: Deps, wait: Wait, accepted: Spend): Promise<Followed> {
  const { spendId } = accepted;
  const startedMs = performance.now();
  const left = (): Wait => {
    const passedMs = performance.now() - startedMs;
    return { waitMs: Math.max(0, Math.floor(wait.waitMs - passedMs)), cancelUnclaimed: false };
  };
  let spend = await awaitOutcome(deps, wait, accepted, canBeShown);
  if (canBeShown(spend)) {
    try {
      await awaitDelivery(deps, spendId, left);
      if (spend.broadcaster === 'facilitator') spend = await awaitVerdict(deps, spend, left);
    } catch (error) {
      // The payment continues; only this observation of it is lost.
      deps.onFault(error);
    }
  }
  return { spend, delivery: await findDelivery(deps.db, spendId) };
}

/** Whether there is a proof: a landing of ours, or a facilitator's transaction that is stored. */
function canBeShown(spend: Spend): boolean {
  if (isLanded(spend.status)) return true;
  return spend.broadcaster === 'facilitator' && spend.status === 'in_flight';
}

/** Until the service has answered, was tried often enough, or the wait is over. */
async function awaitDelivery(deps: Deps, spendId: string, left: () => Wait): Promise<void> {
  while (left().waitMs > 0) {
    await endsWithin(deps.deliverer.deliver(spendId), left().waitMs);
    const [progress] = await readProgress(deps.db, [spendId]);
    if (progress === undefined || isDone(progress)) return;
    await delay(Math.min(LOOK_INTERVAL_MS, left().waitMs));
  }
}

function isDone({ state, tries, willTryAgain }: Awaited<ReturnType<typeof readProgress>>[number]) {
  if (state === 'delivering') return false;
  return state === 'delivered' || !willTryAgain || tries >= TRIES_AWAITED;
}

/**
 * After a refusal the service will hardly settle, and the proof of that is not awaited. Otherwise
 * the chain shows whether the service's answer was paid for.
 */
async function awaitVerdict(deps: Deps, spend: Spend, left: () => Wait): Promise<Spend> {
  const delivery = await findDelivery(deps.db, spend.spendId);
  const [now = spend] = await findSpends(deps.db, [spend.spendId]);
  if (delivery?.refusedWhy !== null && isPending(now.status)) return now;
  const settled = await awaitOutcome(deps, left(), now);
  await closeLanded(deps.db, spend.spendId);
  return settled;
}
