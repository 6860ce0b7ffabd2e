import { sql } from 'slonik';
import { z } from 'zod';
import { startProcesses } from './processes.ts';
import type { SmallWorld } from './small-world.ts';

/** Short steps at first, in which bytes are sent again; then such in which they expire. */
const SHORT = [
  { slots: 2n, seconds: 4 },
  { slots: 2n, seconds: 12 },
] as const;
const LONG = Array.from({ length: 10 }, () => ({ slots: 170n, seconds: 8 }));
/** Until the lease of a delivery has run out: it is long, and the bytes can land even longer. */
const UNTIL_DELIVERED = Array.from({ length: 3 }, () => ({ slots: 2n, seconds: 12 }));
const ROUNDS = {
  transfer: [...SHORT, ...LONG],
  x402: [...SHORT, ...UNTIL_DELIVERED, ...LONG],
  yield_deposit: [...SHORT, ...LONG],
  yield_withdraw: [...SHORT, ...LONG],
} as const;

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
  for (const time of ROUNDS[world.pays]) {
    await world.pass(time);
    await processes.guardRecovery();
    await world.ask(processes, 0);
    await processes.sweepQueued();
    await world.runNudged(processes);
    await processes.sweepDeliveries();
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
      + (select count(*) from delivery join spend on spend.spend_id = delivery.spend_id
        where delivery.session_id = ${sessionId}::uuid and spend.status <> 'rejected'
          and (state in ('waiting', 'delivering') or lease_until > now()))
      + (select count(*) from program_event
        where vault = ${chain.vault} and reconcile_at is not null)
      + (not is_open())::int)::int as left
  `);
  return left;
}
