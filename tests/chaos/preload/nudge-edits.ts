import type { Edit } from '../../mutants/mutant.ts';

/** Where `lose-nudges` steps in: before a lane's lease ends, and before a nudge is sent. */
export const nudgeEdits: readonly Edit[] = [
  {
    file: 'libs/spend/src/lane/release-lease.ts',
    find: 'await db.query(',
    replace: 'await globalThis.chaosEndLane(lease.sessionId); await db.query(',
  },
  {
    // A run that claims has released its lane with the claim, and its sends are under way.
    file: 'apps/tx-worker/src/lane/run-lane.ts',
    find: 'run.isReleased = thenRelease;',
    replace: 'run.isReleased = false;',
  },
  {
    file: 'libs/queue/src/lane-queue.ts',
    find: 'await nudges(ONE_QUEUE,',
    replace: 'if (globalThis.chaosIsNudgeLost(sessionId)) return; await nudges(ONE_QUEUE,',
  },
];
