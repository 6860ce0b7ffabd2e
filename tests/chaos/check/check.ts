import { verifyAudit } from '@agent-wallet/audit';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Landing, readLandings } from './chain-ledger.ts';
import { findForgottenLandings, type ForgottenLanding } from './forgotten-landings.ts';
import { findIllegalHistories } from './history.ts';
import type { Allowed } from '../row.ts';
import type { Cast, SentRequest } from '../world/load.ts';
import type { Rest } from '../world/rest.ts';
import type { World } from '../world/world.ts';

export type Findings = {
  readonly spends: number;
  readonly confirmed: number;
  /** Number of attempts beyond the first of each spend. */
  readonly signedAgain: number;
  readonly landedTwice: readonly string[];
  /** Disagreements of money, rows and answers. */
  readonly lost: readonly string[];
  readonly unsettled: number;
  /** Histories that violate an invariant, whatever their outcome. */
  readonly illegal: readonly string[];
};

const spendRow = z.object({
  spendId: z.string(),
  walletId: z.string(),
  amount: z.bigint(),
  recipient: z.string(),
  status: z.string(),
  code: z.string().nullable(),
  txSignature: z.string().nullable(),
  attempt: z.number(),
});
type Row = z.infer<typeof spendRow>;

/** Compares chain, rows, audit and answers of a world that has come to rest. */
export async function checkWorld(
  world: World,
  story: { readonly cast: Cast; readonly sent: readonly SentRequest[]; readonly rest: Rest },
  allowed: Allowed,
): Promise<Findings> {
  const { db, fixture } = world;
  const rows = await db.any(sql.type(spendRow)`
    select spend_id as "spendId", wallet_id as "walletId", amount, recipient, status, code,
      tx_signature as "txSignature", attempt
    from spend
  `);
  const landings = await readLandings(fixture);
  const known = new Set(rows.map(({ spendId }) => spendId));
  const { landed, lost } = await findForgottenLandings(world, landings, known);
  const all = [...rows, ...landed.map(asPaidRow)];
  const illegal = [
    ...(await findIllegalHistories(db, allowed)),
    ...world.sends.violations,
    ...(await checkAudit(world, story.cast)),
    ...story.rest.leftOver,
  ];
  return {
    spends: rows.length,
    confirmed: rows.filter(isPaid).length,
    signedAgain: rows.reduce((sum, { attempt }) => sum + Math.max(0, attempt - 1), 0),
    landedTwice: findTwice(landings),
    lost: [
      ...lost,
      ...compareRows(all, landings),
      ...compareAnswers(story.sent, all, {
        corrected: allowed.forks === true ? await readCorrected(db) : new Set(),
        forgotten: world.forgotten.spends,
      }),
      ...(await compareBalances(world, story.cast, all)),
    ],
    unsettled: story.rest.open,
    illegal,
  };
}

const isPaid = ({ status }: Row): boolean => status === 'confirmed' || status === 'finalized';

/** A forgotten landing has moved money like any other. */
const asPaidRow = ({ signature, ...spend }: ForgottenLanding): Row => ({
  ...spend,
  status: 'finalized',
  code: null,
  txSignature: signature,
  attempt: 0,
});

/** An amount identifies a request, so two landings of it are one too many under any spend id. */
function findTwice(landings: readonly Landing[]): readonly string[] {
  return [...Map.groupBy(landings, ({ amount }) => amount)]
    .filter(([, same]) => same.length > 1)
    .map(([amount, same]) => {
      const places = same.map(({ signature, spendId }) => `${signature} (spend ${spendId})`);
      return `${amount} base units landed ${same.length} times: ${places.join(', ')}`;
    });
}

function compareRows(rows: readonly Row[], landings: readonly Landing[]): readonly string[] {
  const bySpend = new Map(landings.map((landing) => [landing.spendId, landing]));
  const known = new Set(rows.map(({ spendId }) => spendId));
  const strangers = landings
    .filter(({ spendId }) => !known.has(spendId))
    .map(({ spendId, signature }) => `${signature} landed for ${spendId}, which has no row`);
  const differing = rows.flatMap((row) => {
    const landing = bySpend.get(row.spendId);
    if (!isPaid(row)) {
      return landing === undefined
        ? []
        : [`spend ${row.spendId} is ${row.status} (${row.code}) and landed`];
    }
    if (landing === undefined) return [`spend ${row.spendId} is ${row.status} and never landed`];
    return landing.signature === row.txSignature
      ? []
      : [`spend ${row.spendId} names ${row.txSignature}, ${landing.signature} landed`];
  });
  return [...strangers, ...differing];
}

const answerBody = z.object({
  spend_id: z.string().optional(),
  tx_signature: z.string().nullable().optional(),
});

/**
 * A 200 was paid with its signature, a 202 has a row, a refusal was not paid. Exempt are spends
 * whose landing a fork has undone, which the log corrects, and rows that a restore has undone.
 */
function compareAnswers(
  sent: readonly SentRequest[],
  rows: readonly Row[],
  undone: {
    readonly corrected: ReadonlySet<string>;
    readonly forgotten: ReadonlyMap<string, unknown>;
  },
): readonly string[] {
  const bySpend = new Map(rows.map((row) => [row.spendId, row]));
  return sent.flatMap(({ amount, answer }) => {
    if (answer === null) return [];
    const { spend_id: spendId = '', tx_signature: signature } = answerBody.parse(answer.body);
    if (undone.corrected.has(spendId)) return [];
    const row = bySpend.get(spendId);
    const what = `the request for ${amount} was answered ${answer.status}`;
    if (answer.status === 200) {
      const isRight = row !== undefined && isPaid(row) && row.txSignature === signature;
      return isRight ? [] : [`${what} with ${signature}; the row is ${row?.status ?? 'missing'}`];
    }
    if (answer.status === 202) {
      return row === undefined && !undone.forgotten.has(spendId) ? [`${what}, and has no row`] : [];
    }
    return row !== undefined && isPaid(row) ? [`${what}, and was paid`] : [];
  });
}

async function readCorrected(db: World['db']): Promise<ReadonlySet<string>> {
  const spendIds = await db.anyFirst(sql.type(z.object({ spendId: z.string() }))`
    select distinct spend_id as "spendId" from audit where correction > 0
  `);
  return new Set(spendIds);
}

async function compareBalances(
  { fixture }: World,
  { purses, recipients }: Cast,
  rows: readonly Row[],
): Promise<readonly string[]> {
  const paid = rows.filter(isPaid);
  const sum = (some: readonly Row[]): bigint =>
    some.reduce((total, { amount }) => total + amount, 0n);
  const expected = [
    ...purses.map(({ walletId, tokenAccount, funds }) => ({
      tokenAccount,
      amount: funds - sum(paid.filter((row) => row.walletId === walletId)),
    })),
    ...recipients.map((recipient) => ({
      tokenAccount: fixture.program.addresses.usdcAta(recipient),
      amount: sum(paid.filter((row) => row.recipient === recipient)),
    })),
  ];
  const wrong = await Promise.all(
    expected.map(async ({ tokenAccount, amount }) => {
      const balance = await fixture.balance(tokenAccount);
      return balance === amount ? [] : [`${tokenAccount} holds ${balance} instead of ${amount}`];
    }),
  );
  return wrong.flat();
}

async function checkAudit({ db }: World, { purses }: Cast): Promise<readonly string[]> {
  const wrong = await db.anyFirst(sql.type(z.object({ sentence: z.string() }))`
    select format('spend %s is %s, its decision %s', spend_id, status, decision) as sentence
    from spend left join lateral (
      select decision from audit
      where audit.spend_id = spend.spend_id order by correction desc limit 1) as newest on true
    where status not in ('queued', 'in_flight') and decision is distinct from
      case when status in ('confirmed', 'finalized') then 'allow' else 'deny' end
  `);
  const chains = await Promise.all(purses.map(({ walletId }) => verifyAudit(db, walletId)));
  const broken = chains.flatMap((chain) =>
    chain.kind === 'intact' ? [] : [`the audit chain is broken at ${chain.seq}: ${chain.why}`],
  );
  return [...wrong, ...broken];
}
