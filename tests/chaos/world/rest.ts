import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'slonik';
import { z } from 'zod';
import type { World } from './world.ts';

/** A spend is signed again for 180 s, and its last attempt then has to expire. */
const REST_TIMEOUT_MS = 240_000;
const LOOK_EVERY_MS = 400;

const openRow = z.object({ open: z.number(), watched: z.number(), notFinal: z.number() });

export type Rest = {
  /** Until no spend was open. */
  readonly seconds: number;
  readonly open: number;
  readonly leftOver: readonly string[];
};

/** Waits until every spend is final and no attempt is watched any more. */
export async function comeToRest(world: World, timeoutMs = REST_TIMEOUT_MS): Promise<Rest> {
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
  let seconds: number | null = null;
  for (;;) {
    const { open, watched, notFinal } = await world.db.one(sql.type(openRow)`
      select
        (select count(*)::int from spend where status in ('queued', 'in_flight')) as open,
        (select count(*)::int from attempt_watch) as watched,
        (select count(*)::int from spend where status in ('confirmed', 'reverted')) as "notFinal"
    `);
    if (open === 0) seconds ??= elapsedMs() / 1_000;
    const isAtRest = open === 0 && watched === 0 && notFinal === 0;
    if (isAtRest || elapsedMs() > timeoutMs) {
      return {
        seconds: seconds ?? elapsedMs() / 1_000,
        open,
        leftOver: [
          ...(isAtRest ? [] : await describeRestless(world)),
          ...(watched === 0 ? [] : [`${watched} attempts are still watched`]),
          ...(notFinal === 0 ? [] : [`${notFinal} landings did not become final`]),
        ],
      };
    }
    await delay(LOOK_EVERY_MS);
  }
}

const restlessRow = z.object({ sentence: z.string() });

/** Describes the spends that are not at rest. */
async function describeRestless({ db }: World): Promise<readonly string[]> {
  return db.anyFirst(sql.type(restlessRow)`
    select concat_ws(' ', 'spend', spend.spend_id, 'is', spend.status, spend.code,
      'after', extract(epoch from now() - spend.created_at)::int, 's; attempts:',
      string_agg(concat_ws(' ', attempt.attempt, attempt.state), ', ' order by attempt.attempt)
    ) as sentence
    from spend left join attempt on attempt.spend_id = spend.spend_id
    where spend.status in ('queued', 'in_flight', 'confirmed', 'reverted')
      or exists (select 1 from attempt as open
        where open.spend_id = spend.spend_id and open.state = 'watching')
    group by spend.spend_id
    limit 20
  `);
}
