import type { FeedBatch, ProgramFeed } from '@agent-wallet/chain';
import { applyEvents } from './apply-events.ts';
import { areEventsThere, readCursor, writeCursor } from './cursor.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import type { WriteDeps } from '../resolve/write-settlements.ts';

const LOOK_EVERY_MS = 500;
const MAX_CATCH_UP_PASSES = 1_000;

type FollowDeps = WriteDeps & { readonly feed: ProgramFeed };

/**
 * Applies and settles everything from the stored cursor on until nothing newer is shown, with a feed of its
 * own: one that remembers what it delivered would leave out what a restore has made undone.
 * Throws when there is no end to it.
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
    throw new Error('the program has more new transactions than one pass of catching up reads');
  };
}

/** A lane must not claim a spend again whose landing is known: all of them are written first. */
async function settleAll(deps: WriteDeps): Promise<void> {
  for (let pass = 0; pass < MAX_CATCH_UP_PASSES; pass += 1) {
    const { looked, unsettled } = await reconcile(deps, { isEager: true });
    if (unsettled > 0) throw new Error('a landing that was read cannot be written');
    if (looked === 0) return;
  }
  throw new Error('more landings are to be written than one pass of catching up writes');
}

/**
 * One pass of the follower: reads the program's newest transactions in order and applies their
 * events, whoever sent them. Each transaction is one SQL transaction and may be applied again; the
 * cursor moves after the batch. Answers when to look again; 0 when there is more at once.
 */
export function createFollowProgram(deps: FollowDeps): () => Promise<number> {
  // The last transaction whose events this process has stored.
  let newest: string | null = null;

  async function applyBatch({ transactions, cursor }: FeedBatch): Promise<void> {
    for (const transaction of transactions) {
      const applied = await applyEvents(deps.db, transaction);
      if (transaction.events.length > 0) newest = transaction.signature;
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
    // A restored database wants again what its predecessor was given.
    if (!(await areEventsThere(deps.db, newest))) {
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
