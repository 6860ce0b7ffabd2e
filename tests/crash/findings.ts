/** The disagreements in a small world at rest, in sentences. */
import { verifyAudit } from '@agent-wallet/audit';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Landing } from '../support/chain/chain-double-ledger.ts';
import { findIllegalAttempts } from './attempts.ts';
import { type AgentRequest, FUNDS, type SmallWorld } from './small-world.ts';

const row = z.object({
  spendId: z.string(),
  amount: z.bigint(),
  recipient: z.string().nullable(),
  status: z.string(),
  code: z.string().nullable(),
  txSignature: z.string().nullable(),
  decisions: z.array(z.string()),
});
type Row = z.output<typeof row>;

export async function findWrong(world: SmallWorld): Promise<readonly string[]> {
  const rows = await world.db.any(sql.type(row)`
    select spend_id as "spendId", amount, recipient, status, code, tx_signature as "txSignature",
      array(select decision || correction from audit where audit.spend_id = spend.spend_id
        order by correction) as decisions
    from spend where session_id = ${world.sessionId}::uuid
  `);
  const landed = world.chain.landings.filter(({ refusal }) => refusal === null);
  return [
    ...world.violations,
    ...compareLandings(rows, landed),
    ...compareBalances(world, rows),
    ...compareDecisions(rows),
    ...world.requests.flatMap((request) => compareRequest(request, rows)),
    ...(await findIllegalAttempts(world.db, world.sessionId)),
    ...(await findBrokenRecords(world)),
  ];
}

const isPaid = ({ status }: Row): boolean => status === 'finalized';

function compareLandings(rows: readonly Row[], landed: readonly Landing[]): readonly string[] {
  const twice = [...Map.groupBy(landed, ({ transfer }) => transfer.amount)]
    .filter(([, same]) => same.length > 1)
    .map(([amount, same]) => `${amount} landed ${same.length} times`);
  const differing = rows.flatMap((one) => {
    const landing = landed.find(({ transfer }) => transfer.spendId === one.spendId);
    const signature = landing?.transfer.signature ?? null;
    const recorded = isPaid(one) ? one.txSignature : null;
    return signature === recorded
      ? []
      : [`spend ${one.spendId} is ${one.status} as ${recorded}, and landed as ${signature}`];
  });
  const known = new Set(rows.map(({ spendId }) => spendId));
  const strangers = landed.filter(({ transfer }) => !known.has(transfer.spendId));
  return [...twice, ...differing, ...strangers.map(({ transfer }) => `no row: ${transfer.amount}`)];
}

function compareBalances(
  { chain, requests, pays }: SmallWorld,
  rows: readonly Row[],
): readonly string[] {
  const paid = rows.filter(isPaid);
  const sum = (some: readonly Row[]): bigint =>
    some.reduce((total, { amount }) => total + amount, 0n);
  const left = pays === 'yield_withdraw' ? FUNDS + sum(paid) : FUNDS - sum(paid);
  const expected = new Map([[chain.vault, left]]);
  for (const { recipient } of requests) {
    expected.set(recipient, sum(paid.filter((one) => one.recipient === recipient)));
  }
  return [...expected]
    .filter(([owner, amount]) => chain.balanceOf(owner) !== amount)
    .map(([owner, amount]) => `${owner} holds ${chain.balanceOf(owner)} instead of ${amount}`);
}

/** Each spend has one decision and no correction, because every fork was repaired. */
function compareDecisions(rows: readonly Row[]): readonly string[] {
  return rows
    .filter((one) => one.decisions.join() !== (isPaid(one) ? 'allow0' : 'deny0'))
    .map((one) => `spend ${one.spendId} is ${one.status}; decided: ${one.decisions.join()}`);
}

/** A request is paid once, unless the program refuses it or the agent saw it cancelled. */
function compareRequest(request: AgentRequest, rows: readonly Row[]): readonly string[] {
  const spends = rows.filter(({ amount }) => amount === request.amount);
  const paid = spends.filter(isPaid).length;
  const { answer } = request;
  const shown = answer === undefined || answer === 'fault' ? null : answer;
  const isCancelled = shown?.status === 'rejected' && shown.code === 'EXPIRED_UNSENT';
  const right = { yes: [1], no: [0], either: [0, 1] }[request.isPaid];
  const isRight = isCancelled ? paid === 0 : right.includes(paid);
  const codes = spends.map(({ status, code }) => `${status} ${code}`).join(', ');
  const hasRow = shown !== null && spends.some(({ spendId }) => spendId === shown.spendId);
  return isRight && hasRow
    ? []
    : [
        `the request for ${request.amount}, shown ${shown?.status ?? 'nothing'}, has the rows: ${codes}`,
      ];
}

const records = z.object({ count: z.number() });

async function findBrokenRecords({ db, walletId }: SmallWorld): Promise<readonly string[]> {
  const chain = await verifyAudit(db, walletId);
  const { count } = await db.one(sql.type(records)`
    select count(*)::int as count from unexplained where wallet_id = ${walletId}::uuid
  `);
  return [
    ...(chain.kind === 'intact' ? [] : [`the audit chain is broken at ${chain.seq}: ${chain.why}`]),
    ...(count === 0 ? [] : [`${count} recorded discrepancies`]),
  ];
}
