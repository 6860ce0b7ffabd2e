import type { Database } from '@agent-wallet/db';
import { cancelQueued, findSpends, isPending, type Spend } from '@agent-wallet/spend';
import type { IsAwaited, OutcomeWaiter } from './outcome-waiter.ts';
import type { Wait } from './spend-headers.ts';

type Deps = {
  readonly db: Database;
  readonly waiter: OutcomeWaiter;
  /** Called for faults after acceptance, which change no answer. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Waits for the outcome, or for a spend that `isAwaited` accepts. At the end it cancels a spend
 * that no lane has claimed, if the wait allows it. A fault on the way is no outcome: the spend was
 * accepted, so it is pending.
 */
export async function awaitOutcome(
  deps: Deps,
  wait: Wait,
  spend: Spend,
  isAwaited?: IsAwaited,
): Promise<Spend> {
  if (!isPending(spend.status) || wait.waitMs === 0) return spend;
  if (isAwaited?.(spend) === true) return spend;
  const [seen = spend] = await deps.waiter.awaitAny([spend.spendId], wait.waitMs, isAwaited);
  if (!isPending(seen.status) || isAwaited?.(seen) === true) return seen;
  try {
    const cancelled = wait.cancelUnclaimed ? await cancelQueued(deps.db, seen) : null;
    if (cancelled !== null) return cancelled;
    const [last = seen] = await findSpends(deps.db, [spend.spendId]);
    return last;
  } catch (error) {
    deps.onFault(error);
    return seen;
  }
}
