import type { Metrics } from '../metrics.ts';

/** How far the follower is behind the chain, for metrics. */
export type FollowProgress = {
  /** The newest slot of the chain that was seen; 0 before the first. */
  readonly head: () => bigint;
  readonly headSeen: (slot: bigint) => void;
  /** Records that the events up to this slot were read. It never goes back. */
  readonly readUpTo: (slot: bigint) => void;
};

/** Creates the progress of one follower, at slot 0. */
export function createFollowProgress(
  metrics: Pick<Metrics, 'followedSlot' | 'headSlot'>,
): FollowProgress {
  let head = 0n;
  let followed = 0n;
  return {
    head: () => head,
    headSeen: (slot) => {
      head = slot;
      metrics.headSlot.set(Number(slot));
    },
    readUpTo: (slot) => {
      if (slot <= followed) return;
      followed = slot;
      metrics.followedSlot.set(Number(slot));
    },
  };
}
