import type { FeedCursor, ProgramFeed } from '@agent-wallet/chain';
import { reconcile } from '../reconcile/reconcile.ts';
import type { SettleDeps } from '../settle.ts';
import type { FollowProgress } from './follow-progress.ts';
import { applyBatch } from './apply-batch.ts';
import { isFollowed, readPosition, writeCursor, writePlaces } from './position.ts';

const LOOK_EVERY_MS = 500;

type FollowPassDeps = SettleDeps & { readonly feed: ProgramFeed };
export type FollowDeps = FollowPassDeps & { readonly progress: FollowProgress };

export type FollowPass = {
  /** False when more transactions are available. */
  readonly caughtUp: boolean;
  /** The newest slot of the transactions of this pass; null when there were none. */
  readonly newestSlot: bigint | null;
};

/**
 * Creates one pass over the program's newest transactions, from any sender: it reads a batch,
 * oldest first, and applies the events. A batch may be applied again; the cursor moves after it.
 * After a term of another leader nothing is remembered of the own reads.
 */
export function createFollowPass(
  deps: FollowPassDeps,
): (term?: { readonly isNewTerm: boolean }) => Promise<FollowPass> {
  const { db, feed } = deps;
  // The last transaction that this process knows the database to hold, and the newest cursor.
  let newest: string | null = null;
  let followed: FeedCursor | null = null;

  return async ({ isNewTerm } = { isNewTerm: false }) => {
    const isHeld = await isFollowed(db, newest);
    const position = await readPosition(db);
    // A restored database needs the events again that its predecessor received.
    if (isNewTerm || !isHeld || isBefore(position.cursor, followed)) {
      feed.forget();
      newest = null;
    }
    followed = position.cursor;
    const batch = await feed.read(position);
    const { transactions, cursor, caughtUp } = batch;
    try {
      const again = new Set(position.again.map(({ signature }) => signature));
      newest = (await applyBatch(deps, transactions, again)) ?? newest;
      if (cursor !== null && transactions.length > 0) {
        await writeCursor(db, cursor, { newest, from: position.cursor });
        followed = cursor;
      }
      await writePlaces(db, batch);
    } catch (error) {
      feed.forget();
      throw error;
    }
    const newestSlot = transactions.reduce<bigint | null>(
      (highest, { slot }) => (highest === null || slot > highest ? slot : highest),
      null,
    );
    return { caughtUp, newestSlot };
  };
}

function isBefore(cursor: FeedCursor | null, other: FeedCursor | null): boolean {
  return other !== null && (cursor === null || cursor.slot < other.slot);
}

/** One pass of the follower. Returns the delay until the next pass, 0 when more is due. */
export function createFollowProgram(
  deps: FollowDeps,
): (term?: { readonly isNewTerm: boolean }) => Promise<number> {
  const { progress } = deps;
  const follow = createFollowPass(deps);
  return async (term) => {
    // A pass that reaches the newest transaction has read all slots up to the head before it.
    const head = progress.head();
    const { caughtUp, newestSlot } = await follow(term);
    if (newestSlot !== null) progress.readUpTo(newestSlot);
    if (caughtUp) progress.readUpTo(head);
    const { isMoreDue } = await reconcile(deps);
    return caughtUp && !isMoreDue ? LOOK_EVERY_MS : 0;
  };
}
