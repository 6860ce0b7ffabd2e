import type { Edit } from '../../mutants/mutant.ts';

/**
 * Where `lose-nudges` steps in: before a lane's run ends, and before a nudge
 * is sent. A run that claims has released its lane with the claim, and its sends are under way.
 */
export const nudgeEdits: readonly Edit[] = [
  {
    file: 'apps/tx-worker/src/lane/run-lane.ts',
    find: 'if (!run.isReleased) await',
    replace: 'await globalThis.chaosEndLane(sessionId, walletId); await',
  },
  {
    file: 'libs/queue/src/lane-queue.ts',
    find: 'await nudges(ONE_QUEUE,',
    replace: 'if (globalThis.chaosIsNudgeLost(walletId)) return; await nudges(ONE_QUEUE,',
  },
];

/** For `stop-before-chain-read`: between the read of a lane and that of its session on the chain. */
export const chainReadEdits: readonly Edit[] = [
  {
    file: 'apps/tx-worker/src/lane/run-lane.ts',
    find: 'view ??= await deps.readChainView(queue.lane)',
    replace:
      'if (view === undefined) await globalThis.chaosReadChain(); view ??= await deps.readChainView(queue.lane)',
  },
];
