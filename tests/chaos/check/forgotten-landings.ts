import { sql } from 'slonik';
import { z } from 'zod';
import type { Landing } from './chain-ledger.ts';
import type { KnownSpend } from './forgotten.ts';
import type { World } from '../world/world.ts';

export type ForgottenLanding = KnownSpend & { readonly signature: string };

const recordRow = z.object({ spendId: z.string() });

/**
 * Money that moved for spends which a restored database does not know, and nobody has asked for
 * again. Each must be on record as an event without a spend; those that are not come as sentences.
 */
export async function findForgottenLandings(
  { db, forgotten }: World,
  landings: readonly Landing[],
  known: ReadonlySet<string>,
): Promise<{ readonly landed: readonly ForgottenLanding[]; readonly lost: readonly string[] }> {
  const landed = landings.flatMap(({ spendId, signature }) => {
    const spend = forgotten.spends.get(spendId);
    return spend === undefined || known.has(spendId) ? [] : [{ ...spend, signature }];
  });
  const recorded = await db.any(sql.type(recordRow)`
    select spend_id as "spendId" from unexplained
    where kind = 'event_without_spend' and spend_id is not null
  `);
  const onRecord = new Set(recorded.map(({ spendId }) => spendId));
  const lost = landed
    .filter(({ spendId }) => !onRecord.has(spendId))
    .map(({ spendId }) => `spend ${spendId} was forgotten and landed, and is on no record`);
  return { landed, lost };
}
