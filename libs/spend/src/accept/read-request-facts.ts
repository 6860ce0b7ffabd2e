import type { Database } from '@agent-wallet/db';
import { newestPolicy, storedPolicy } from '@agent-wallet/wallet';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Spend, spendColumns, spendRow } from '../spend.ts';

const factsRow = z.discriminatedUnion('hasSpend', [
  spendRow.extend({
    hasSpend: z.literal(true),
    policy: storedPolicy,
    requestDigest: z.instanceof(Buffer),
  }),
  z.object({ hasSpend: z.literal(false), policy: storedPolicy }),
]);

/**
 * What a request is judged by before its acceptance: the wallet's newest policy, and the spend that
 * the Idempotency-Key of this session is bound to, with the digest of its request.
 */
export type RequestFacts = {
  readonly policy: z.output<typeof storedPolicy>;
  readonly known: { readonly spend: Spend; readonly requestDigest: Buffer } | null;
};

/** Reads the facts of several requests, in their order. */
export async function readRequestFacts(
  db: Database,
  requests: readonly {
    readonly walletId: string;
    readonly sessionId: string;
    readonly idempotencyKey: string | null;
  }[],
): Promise<readonly RequestFacts[]> {
  const asked = requests.map(
    ({ walletId, sessionId, idempotencyKey }) => [walletId, sessionId, idempotencyKey] as const,
  );
  const rows = await db.any(sql.type(factsRow)`
    select spend.spend_id is not null as "hasSpend", to_json(policy) as policy,
      spend.request_digest as "requestDigest", ${spendColumns}
    from ${sql.unnest(asked, ['uuid', 'uuid', 'text'])}
      with ordinality as asked (wallet_id, session_id, idempotency_key, place)
    left join lateral ${newestPolicy(sql.fragment`asked.wallet_id`)} policy on true
    left join spend on spend.session_id = asked.session_id
      and spend.idempotency_key = asked.idempotency_key
    order by asked.place
  `);
  return rows.map((row) => {
    if (!row.hasSpend) return { policy: row.policy, known: null };
    const { hasSpend: _, policy, requestDigest, ...spend } = row;
    return { policy, known: { spend, requestDigest } };
  });
}
