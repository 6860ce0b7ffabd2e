import type { ProgramFeed } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import type { Metrics } from './metrics.ts';
import { applyEvents } from './program-events/apply-events.ts';
import { readCursor, writeCursor } from './program-events/cursor.ts';

const LOOK_EVERY_MS = 500;

type FollowDeps = {
  readonly db: Database;
  readonly feed: ProgramFeed;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/**
 * One pass of the follower: reads the program's newest transactions in order and applies their
 * events, whoever sent them. Each transaction is one SQL transaction and may be applied again; the
 * cursor moves after the batch.
 */
export function createFollowProgram(deps: FollowDeps): () => Promise<number> {
  return async () => {
    const batch = await deps.feed.read(await readCursor(deps.db));
    for (const transaction of batch.transactions) {
      const applied = await applyEvents(deps.db, transaction);
      for (const { name } of applied) {
        deps.metrics.programEvents.inc({ name });
        deps.log.debug({ event: name, slot: String(transaction.slot) }, 'program event');
      }
    }
    if (batch.cursor !== null && batch.transactions.length > 0) {
      await writeCursor(deps.db, batch.cursor);
      deps.metrics.followedSlot.set(Number(batch.cursor.slot));
    }
    return batch.caughtUp ? LOOK_EVERY_MS : 0;
  };
}
