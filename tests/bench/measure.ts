/**
 * One run: sends all requests, waits until the system is at rest, and checks that all records
 * agree.
 */
import { sql } from 'slonik';
import { z } from 'zod';
import { atRest, findDisagreements } from '../support/system/agreement.ts';
import { requestAll, type Replies } from './request-all.ts';
import type { Stage } from './stage.ts';

const REST_TIMEOUT_MS = 240_000;
/** No request breaks a rule, so refused spends were not sent in time or provably never landed. */
const REFUSALS = ['EXPIRED_UNSENT', 'NEVER_LANDED'] as const;
const EXPECTED_REPLIES: ReadonlySet<string> = new Set([
  '200',
  '202',
  ...REFUSALS.map((code) => `503 ${code}`),
]);

export type Measured = Replies & {
  readonly requested: number;
  readonly accepted: number;
  readonly confirmed: number;
  readonly unsent: number;
  readonly neverLanded: number;
  /** How often stored bytes were re-sent. */
  readonly resent: number;
  /** Until the last request had its reply. */
  readonly repliedSeconds: number;
  /** From the first request until no spend was open. */
  readonly restSeconds: number;
  /** Disagreements, in sentences. */
  readonly wrong: readonly string[];
};

const countRow = z.object({
  accepted: z.number(),
  confirmed: z.number(),
  unsent: z.number(),
  neverLanded: z.number(),
  resent: z.number(),
});

export async function measure(
  stage: Stage,
  load: { readonly perAgent: number; readonly atOnce: number },
): Promise<Measured> {
  const startedMs = performance.now();
  const elapsedSeconds = (): number => (performance.now() - startedMs) / 1_000;
  const replies = await requestAll(stage, load);
  const repliedSeconds = elapsedSeconds();
  for (const { walletId } of stage.purses) await atRest(stage.fixture, walletId, REST_TIMEOUT_MS);
  const restSeconds = elapsedSeconds();
  const counts = await stage.fixture.db.one(sql.type(countRow)`
    select count(*)::int as accepted,
      count(*) filter (where status in ('confirmed', 'finalized'))::int as confirmed,
      count(*) filter (where code = ${REFUSALS[0]})::int as unsent,
      count(*) filter (where code = ${REFUSALS[1]})::int as "neverLanded",
      coalesce(sum(broadcasts), 0)::int as resent
    from spend
  `);
  const requested = load.perAgent * stage.agents.length;
  const wrong = [...findOddReplies(replies)];
  if (counts.accepted !== requested) wrong.push(`${requested} requested, ${counts.accepted} rows`);
  const { confirmed, unsent, neverLanded } = counts;
  if (confirmed + unsent + neverLanded !== requested) {
    wrong.push(
      `${confirmed} confirmed, ${unsent} unsent, ${neverLanded} never landed of ${requested}`,
    );
  }
  for (const purse of stage.purses) wrong.push(...(await findDisagreements(stage.fixture, purse)));
  return { ...replies, ...counts, requested, repliedSeconds, restSeconds, wrong };
}

function findOddReplies({ byStatus }: Replies): readonly string[] {
  return [...byStatus]
    .filter(([kind]) => !EXPECTED_REPLIES.has(kind))
    .map(([kind, count]) => `${count} replies: ${kind}`);
}
