import type { ProgramFeed } from '@agent-wallet/chain';
import { reconcile } from '../reconcile/reconcile.ts';
import type { SettleDeps } from '../settle.ts';
import { createFollowPass } from './follow-program.ts';
import { isAnyPostponed } from './postponed.ts';

const MAX_PASSES = 1_000;

/**
 * Applies and settles every event up to a slot, from the stored cursor on. Returns false when there
 * is more than one call reads, or when a transaction that could not be read is still tried; a later
 * call continues. It reads with a new feed, because a feed that remembers what it delivered would
 * leave out the events that a restore took back. It needs nothing after the slot, so a steady
 * stream of foreign transactions does not prolong it. A node that has not seen the slot is not
 * believed.
 */
export function createCatchUp({
  createFeed,
  ...deps
}: SettleDeps & { readonly createFeed: () => ProgramFeed }): (slot: bigint) => Promise<boolean> {
  return async (upTo) => {
    const feed = createFeed();
    const read: ProgramFeed['read'] = (position) => feed.read({ ...position, seenSlot: upTo });
    const follow = createFollowPass({ ...deps, feed: { ...feed, read } });
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const { caughtUp, newestSlot } = await follow();
      if (!caughtUp && (newestSlot === null || newestSlot <= upTo)) continue;
      if (await isAnyPostponed(deps.db, upTo)) return false;
      await settleAll(deps);
      return true;
    }
    return false;
  };
}

/** Writes every known landing, so that no lane claims its spend again. */
async function settleAll(deps: SettleDeps): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const { looked, unsettled } = await reconcile(deps, { isEager: true });
    if (unsettled > 0) throw new Error('a landing that was read cannot be written');
    if (looked === 0) return;
  }
  throw new Error('there are more landings than one catch-up writes');
}
