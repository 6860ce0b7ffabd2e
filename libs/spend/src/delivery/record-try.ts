import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { Delivery, DeliveryState } from './delivery.ts';

/** What one try came to. */
export type Try = {
  readonly state: Exclude<DeliveryState, 'delivering'>;
  /** For the log: `answered 503`, `timeout`. */
  readonly outcome: string;
  /** What the service answered, whatever its status; null when it gave no answer. */
  readonly upstream: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
  } | null;
  readonly refusedWhy: string | null;
  /** Null: not again. */
  readonly tryAgainInMs: number | null;
};

/** How long after the first try the last one may be. */
const TRY_WITHIN_SECONDS = 900;

/**
 * Writes what a leased try came to and ends the lease; false when the lease was lost meanwhile. An
 * answer replaces the one before it, no answer replaces nothing.
 */
export async function recordTry(
  db: Database,
  { spendId, tries }: Pick<Delivery, 'spendId' | 'tries'>,
  tried: Try,
): Promise<boolean> {
  const { upstream, tryAgainInMs } = tried;
  const entry = { outcome: tried.outcome };
  const recorded = await db.maybeOne(sql.unsafe`
    update delivery
    set state = ${tried.state}, lease_until = '-infinity',
      delivered_at = case when ${tried.state} = 'delivered' then now() end,
      log = log || jsonb_build_array(${JSON.stringify(entry)}::jsonb || jsonb_build_object('at', now())),
      refused_why = ${tried.refusedWhy},
      try_at = case
        when now() < first_try_at + ${TRY_WITHIN_SECONDS} * interval '1 second'
        then now() + ${tryAgainInMs}::float8 * interval '1 millisecond' end,
      upstream_status = coalesce(${upstream?.status ?? null}, upstream_status),
      upstream_headers = coalesce(
        ${upstream === null ? null : JSON.stringify(upstream.headers)}::jsonb, upstream_headers),
      upstream_body = coalesce(
        ${upstream === null ? null : sql.binary(upstream.body)}, upstream_body)
    where spend_id = ${spendId}::uuid and state = 'delivering' and tries = ${tries}
    returning 1 as one
  `);
  return recorded !== null;
}
