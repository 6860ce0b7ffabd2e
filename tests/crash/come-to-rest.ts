import { sql } from 'slonik';
import { z } from 'zod';
import { startProcesses } from './processes.ts';
import type { SmallWorld } from './small-world.ts';

/** Short steps at first, in which bytes are sent again; then such in which they expire. */
const ROUNDS = [
  { slots: 2n, seconds: 4 },
  { slots: 2n, seconds: 12 },
  ...Array.from({ length: 10 }, () => ({ slots: 170n, seconds: 8 })),
] as const;

const restRow = z.object({ left: z.number() });

/**
 * Processes that are started anew, sweepers and all, go on until nothing is left to do; agents
 * without an answer ask again with their key. Answers what is left, null for nothing.
 */
export async function comeToRest(world: SmallWorld): Promise<string | null> {
  // The queue is gone as well: the rows alone must do.
  world.nudged.clear();
  const processes = startProcesses(world.io, world.keys);
  let left = -1;
  for (const time of ROUNDS) {
    await world.pass(time);
    await processes.guardRecovery();
    await world.ask(processes, 0);
    await processes.sweepQueued();
    await world.runNudged(processes);
    await processes.watchSignatures();
    await world.runNudged(processes);
    await processes.followProgram();
    await processes.finalizeLandings();
    left = await countLeft(world);
    if (left === 0) return null;
  }
  return `${left} rows have not come to rest`;
}

async function countLeft({ db, sessionId, chain }: SmallWorld): Promise<number> {
  const { left } = await db.one(sql.type(restRow)`
    select (
      (select count(*) from spend where session_id = ${sessionId}::uuid
        and (status not in ('finalized', 'rejected')
          or (status = 'finalized' and event_joined_at is null)))
      + (select count(*) from attempt
        where session_id = ${sessionId}::uuid and state = 'watching')
      + (select count(*) from program_event
        where vault = ${chain.vault} and reconcile_at is not null)
      + (not is_open())::int)::int as left
  `);
  return left;
}
