import type { FeedBatch, ProgramFeed } from '@agent-wallet/chain';
import { reconcile } from '../reconcile/reconcile.ts';
import type { SettleDeps } from '../settle.ts';
import { applyEvents } from './apply-events.ts';
import { isFollowed, readCursor, writeCursor } from './cursor.ts';

const LOOK_EVERY_MS = 500;
const MAX_CATCH_UP_PASSES = 1_000;

type FollowDeps = SettleDeps & { readonly feed: ProgramFeed };

/**
 * Applies and settles every event from the stored cursor on. It reads with a new feed, because a
 * feed that remembers what it delivered would leave out the events that a restore took back. Throws
 * when new events keep coming.
 */
export function createCatchUp({
  createFeed,
  ...deps
}: Omit<FollowDeps, 'feed'> & { readonly createFeed: () => ProgramFeed }): () => Promise<void> {
  return async () => {
    const follow = createFollowProgram({ ...deps, feed: createFeed() });
    for (let pass = 0; pass < MAX_CATCH_UP_PASSES; pass += 1) {
      if ((await follow()) > 0) return settleAll(deps);
    }
    throw new Error('the program has more new transactions than one catch-up reads');
  };
}

/** Writes every known landing, so that no lane claims its spend again. */
async function settleAll(deps: SettleDeps): Promise<void> {
  for (let pass = 0; pass < MAX_CATCH_UP_PASSES; pass += 1) {
    const { looked, unsettled } = await reconcile(deps, { isEager: true });
    if (unsettled > 0) throw new Error('a landing that was read cannot be written');
    if (looked === 0) return;
  }
  throw new Error('there are more landings than one catch-up writes');
}

/**
 * One pass of the follower: reads the program's newest transactions in order, from any sender, and
 * applies their events. Each chain transaction is one SQL transaction and may be applied again; the
 * cursor moves after the batch. Returns the delay until the next pass, 0 when more is due.
 */
export function createFollowProgram(deps: FollowDeps): () => Promise<number> {
  // The last transaction that this process has stored or explained.
  let newest: string | null = null;

  async function applyBatch({ transactions, cursor }: FeedBatch): Promise<void> {
    for (const transaction of transactions) {
      const isExplained = transaction.isExplained === true;
      if (isExplained) deps.metrics.explainedLandings.inc();
      if (isExplained || transaction.events.length > 0) newest = transaction.signature;
      const applied = await applyEvents(deps.db, transaction);
      for (const { name } of applied) {
        deps.metrics.programEvents.inc({ name });
        deps.log.debug({ event: name, slot: String(transaction.slot) }, 'program event');
      }
    }
    if (cursor === null || transactions.length === 0) return;
    await writeCursor(deps.db, cursor, newest);
    deps.metrics.followedSlot.set(Number(cursor.slot));
  }

  return async () => {
    // A restored database needs the events again that its predecessor received.
    if (!(await isFollowed(deps.db, newest))) {
      deps.feed.forget();
      newest = null;
    }
    const batch = await deps.feed.read(await readCursor(deps.db));
    try {
      await applyBatch(batch);
    } catch (error) {
      deps.feed.forget();
      throw error;
    }
    const { isMoreDue } = await reconcile(deps);
    return batch.caughtUp && !isMoreDue ? LOOK_EVERY_MS : 0;
  };
}
