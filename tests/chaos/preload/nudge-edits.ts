import type { Edit } from '../../mutants/mutant.ts';

/** Where `lose-nudges` steps in: before a lane's lease ends, and before a nudge is sent. */
export const nudgeEdits: readonly Edit[] = [
  {
    file: 'libs/spend/src/lane/release-lease.ts',
    find: 'await db.query(',
    replace: 'await globalThis.chaosEndLane(lease.sessionId); await db.query(',
  },
  {
    file: 'libs/spend/src/lane/claim-spends.ts',
    find: 'return db.one(',
    replace: 'if (thenRelease) await globalThis.chaosEndLane(sessionId); return db.one(',
  },
  {
    file: 'libs/queue/src/lane-queue.ts',
    find: "await queue.add('drain'",
    replace: "if (!globalThis.chaosIsNudgeLost(sessionId)) await queue.add('drain'",
  },
];
