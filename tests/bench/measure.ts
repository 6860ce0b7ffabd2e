/** One run: all asks are made, then everything comes to rest, and then all must agree. */
import { sql } from 'slonik';
import { z } from 'zod';
import { atRest, findDisagreements } from '../support/system/agreement.ts';
import { type Answers, askAll } from './ask.ts';
import type { Stage } from './stage.ts';

const REST_TIMEOUT_MS = 240_000;
/** Nothing here breaks a rule: what is refused was not sent in time, or provably never landed. */
const REFUSALS = ['EXPIRED_UNSENT', 'NEVER_LANDED'] as const;
const RIGHT_ANSWERS: ReadonlySet<string> = new Set([
  '200',
  '202',
  ...REFUSALS.map((code) => `503 ${code}`),
]);

export type Measured = Answers & {
  readonly asked: number;
  readonly accepted: number;
  readonly confirmed: number;
  readonly unsent: number;
  readonly neverLanded: number;
  /** How often stored bytes went out again. */
  readonly resent: number;
  /** Until the last ask had its answer. */
  readonly answeredSeconds: number;
  /** From the first ask until no spend was open. */
  readonly restSeconds: number;
  /** What does not agree, in sentences. */
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
  const answers = await askAll(stage, load);
  const answeredSeconds = elapsedSeconds();
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
  const asked = load.perAgent * stage.agents.length;
  const wrong = [...findOddAnswers(answers)];
  if (counts.accepted !== asked) wrong.push(`${asked} asked, ${counts.accepted} rows`);
  const { confirmed, unsent, neverLanded } = counts;
  if (confirmed + unsent + neverLanded !== asked) {
    wrong.push(`${confirmed} confirmed, ${unsent} unsent, ${neverLanded} never landed of ${asked}`);
  }
  for (const purse of stage.purses) wrong.push(...(await findDisagreements(stage.fixture, purse)));
  return { ...answers, ...counts, asked, answeredSeconds, restSeconds, wrong };
}

function findOddAnswers({ byStatus }: Answers): readonly string[] {
  return [...byStatus]
    .filter(([kind]) => !RIGHT_ANSWERS.has(kind))
    .map(([kind, count]) => `${count} answers: ${kind}`);
}
