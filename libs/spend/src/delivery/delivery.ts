/**
 * The delivery of what a payment to a service bought: the agent's request, sent again with the
 * proof of payment. Never pays: it only carries the proof of its spend.
 *
 * `waiting` until the spend can show a proof, `delivering` while a lease holder sends the
 * request, `delivered` when the service gave a usable answer. `paid_not_delivered`: the money is
 * gone and there is no such answer; `tryAt` says whether it is tried again.
 *
 *   waiting, paid_not_delivered → delivering             leaseDeliveries (also after a lost lease)
 *   delivering → delivered, waiting, paid_not_delivered  recordTry
 *   waiting, delivering → paid_not_delivered             closeLanded (a facilitator's payment landed)
 *
 * An answer's body goes when it has been kept long enough (forgetAnswers); the record never does.
 */
import { sql } from 'slonik';
import { z } from 'zod';
import { SERVICE_PROOFS } from '../catalog/service.ts';

const headers = z.record(z.string(), z.string());

export const deliveryRow = z.object({
  spendId: z.string(),
  slug: z.string(),
  proof: z.enum(SERVICE_PROOFS),
  method: z.string(),
  url: z.string(),
  headers,
  body: z.instanceof(Buffer).nullable(),
  requirement: z.string(),
  resource: z.string().nullable(),
  state: z.enum(['waiting', 'delivering', 'delivered', 'paid_not_delivered']),
  tries: z.number(),
  tryAt: z.date().nullable(),
  refusedWhy: z.string().nullable(),
  upstreamStatus: z.number().nullable(),
  upstreamHeaders: headers.nullable(),
  /** Null also when its time was over: then the status stays. */
  upstreamBody: z.instanceof(Buffer).nullable(),
});

/** A delivery. `requirement` and `resource` are JSON texts as the service sent them. */
export type Delivery = z.output<typeof deliveryRow>;
export type DeliveryState = Delivery['state'];

/** The agent's request to the service, and the payment that the service required. */
export type NewDelivery = Pick<
  Delivery,
  'slug' | 'proof' | 'method' | 'url' | 'headers' | 'body' | 'requirement' | 'resource'
>;

/** Columns of a delivery in the shape of {@link Delivery}; the table must be in scope. */
export const deliveryColumns = sql.fragment`
  delivery.spend_id as "spendId", delivery.slug, delivery.proof, delivery.method, delivery.url,
  delivery.headers, delivery.body, delivery.requirement, delivery.resource, delivery.state,
  delivery.tries, delivery.try_at as "tryAt", delivery.refused_why as "refusedWhy",
  delivery.upstream_status as "upstreamStatus", delivery.upstream_headers as "upstreamHeaders",
  delivery.upstream_body as "upstreamBody"
`;
