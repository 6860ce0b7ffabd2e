/**
 * One event for one webhook: the body of the request, and what came of it.
 *
 *   (none) → pending              insertDeliveries, in the order of the wallet's audit log
 *   pending → pending             leaseDeliveries, recordTry (a failed try, with a time for the next)
 *   pending → delivered, failed   recordTry
 *
 * A try needs the row's lease, on the database's clock, which is longer than a try can take. A
 * worker that dies between the request and the record leaves a row that is tried again under the same
 * id: a receiver gets each event at least once.
 */
import { webhookDeliveryAnswer } from '@agent-wallet/contract';
import { sql } from 'slonik';
import { z } from 'zod';

const { type, state, last_fault: lastFault } = webhookDeliveryAnswer.shape;

export const deliveryRow = z.object({
  deliveryId: z.string(),
  deliveryNo: z.bigint(),
  eventId: z.string(),
  type,
  state,
  tries: z.number(),
  lastStatus: z.number().nullable(),
  lastFault,
  tryAt: z.date().nullable(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
});

/** A delivery without its body. `deliveryNo` is its place among all. */
export type WebhookDelivery = z.output<typeof deliveryRow>;

/** Columns in the shape of {@link WebhookDelivery}; the table must be in scope as `delivery`. */
export const deliveryColumns = sql.fragment`
  delivery.delivery_id as "deliveryId", delivery.delivery_no as "deliveryNo",
  delivery.event_id as "eventId", delivery.type, delivery.state, delivery.tries,
  delivery.last_status as "lastStatus", delivery.last_fault as "lastFault",
  delivery.try_at as "tryAt", delivery.created_at as "createdAt", delivery.ended_at as "endedAt"
`;
