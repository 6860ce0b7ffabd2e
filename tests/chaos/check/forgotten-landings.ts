import { sql } from 'slonik';
import { z } from 'zod';
import type { Landing } from './chain-ledger.ts';
import type { KnownSpend } from './forgotten.ts';
import type { World } from '../world/world.ts';

export type ForgottenLanding = KnownSpend & { readonly signature: string };

const recordRow = z.object({ spendId: z.string() });

/**
 * Finds landings of spends that a restore has undone and that were not requested again. Each must
 * be on record as an event without a spend; `lost` describes those that are not.
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
    .map(({ spendId }) => `spend ${spendId} was forgotten, landed and is not on record`);
  return { landed, lost };
}
