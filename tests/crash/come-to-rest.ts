import { sql } from 'slonik';
import { z } from 'zod';
import { startProcesses } from './processes.ts';
import type { SmallWorld } from './small-world.ts';

/** Short steps, in which bytes are sent again, then long ones, in which they expire. */
const SHORT = [
  { slots: 2n, seconds: 4 },
  { slots: 2n, seconds: 12 },
];
const LONG = Array.from({ length: 10 }, () => ({ slots: 170n, seconds: 8 }));
/** Outlasts the lease of a delivery, whose bytes can land even longer. */
const UNTIL_DELIVERED = Array.from({ length: 3 }, () => ({ slots: 2n, seconds: 12 }));

const restRow = z.object({ left: z.number() });

/**
 * Runs newly started processes until every row is at rest; agents without an answer repeat their
 * requests. Returns what is left, null for nothing.
 */
export async function comeToRest(world: SmallWorld): Promise<string | null> {
  // The queue is lost as well: the rows alone must suffice.
  world.nudged.clear();
  const processes = startProcesses(world.io, world.keys);
  let left = -1;
  const untilDelivered = world.pays === 'x402' ? UNTIL_DELIVERED : [];
  for (const time of [...SHORT, ...untilDelivered, ...LONG]) {
    await world.pass(time);
    await processes.guardRecovery();
    await world.sendRequests(processes, 0);
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
  return `${left} rows are not at rest`;
}

async function countLeft({ db, sessionId, chain }: SmallWorld): Promise<number> {
  const { left } = await db.one(sql.type(restRow)`
    select (
      (select count(*) from spend where session_id = ${sessionId}::uuid
        and (status not in ('finalized', 'rejected')
          or (status = 'finalized' and event_joined_at is null)))
      + (select count(*) from attempt
        where session_id = ${sessionId}::uuid and state = 'watching')
      + (select count(*) from attempt_watch join spend on spend.spend_id = attempt_watch.spend_id
        where spend.session_id = ${sessionId}::uuid)
      + (select count(*) from delivery join spend on spend.spend_id = delivery.spend_id
        where delivery.session_id = ${sessionId}::uuid and spend.status <> 'rejected'
          and (state in ('waiting', 'delivering') or lease_until > now()))
      + (select count(*) from program_event
        where vault = ${chain.vault} and reconcile_at is not null)
      + (select count(*) from postponed_transaction)
      + (not is_open())::int)::int as left
  `);
  return left;
}
