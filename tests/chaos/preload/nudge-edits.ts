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
    find: 'sessions.set(id, sessionId);',
    replace: 'if (!globalThis.chaosIsNudgeLost(sessionId)) sessions.set(id, sessionId);',
  },
];
