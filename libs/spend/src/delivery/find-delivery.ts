import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Delivery, deliveryColumns, deliveryRow, type DeliveryState } from './delivery.ts';

/** The delivery of a spend with the service's newest answer; null when it bought nothing. */
export async function findDelivery(db: Database, spendId: string): Promise<Delivery | null> {
  return db.maybeOne(sql.type(deliveryRow)`
    select ${deliveryColumns} from delivery where spend_id = ${spendId}::uuid
  `);
}

const upstreamRow = deliveryRow.pick({
  state: true,
  tries: true,
  upstreamStatus: true,
  upstreamBody: true,
});

/** What a service answered, and how far the delivery is. */
export type Upstream = z.output<typeof upstreamRow>;

/** The newest answer of the service that a spend paid, without the request; null without one. */
export async function findUpstream(db: Database, spendId: string): Promise<Upstream | null> {
  return db.maybeOne(sql.type(upstreamRow)`
    select state, tries, upstream_status as "upstreamStatus", upstream_body as "upstreamBody"
    from delivery where spend_id = ${spendId}::uuid
  `);
}

const progressRow = z.object({
  spendId: z.string(),
  state: deliveryRow.shape.state,
  tries: z.number(),
  willTryAgain: z.boolean(),
});

/** How far deliveries are, without the bodies. Unknown ids are left out. */
export async function readProgress(
  db: Database,
  spendIds: readonly string[],
): Promise<readonly z.output<typeof progressRow>[]> {
  if (spendIds.length === 0) return [];
  return db.any(sql.type(progressRow)`
    select spend_id as "spendId", state, tries, try_at is not null as "willTryAgain" from delivery
    where spend_id = any(${sql.array([...spendIds], 'uuid')})
  `);
}

const countRow = z.object({ state: deliveryRow.shape.state, count: z.number() });

/** How many deliveries are waiting or under way. */
export async function countOpenDeliveries(
  db: Database,
): Promise<Readonly<Record<'waiting' | 'delivering', number>>> {
  const rows = await db.any(sql.type(countRow)`
    select state, count(*)::int as count from delivery
    where state in ('waiting', 'delivering') group by state
  `);
  const of = (state: DeliveryState): number => rows.find((row) => row.state === state)?.count ?? 0;
  return { waiting: of('waiting'), delivering: of('delivering') };
}
