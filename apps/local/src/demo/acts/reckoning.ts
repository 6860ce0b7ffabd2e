import { inUsdc } from '../amounts.ts';
import { type Cast, readHoldings } from '../cast/cast.ts';
import type { AuditItem } from '@agent-wallet/sdk/owner';
import { type Allowed, type Denied, totalOf } from '../cast/spend-ledger.ts';
import { poll } from '../poll.ts';
import type { Stage } from '../stage.ts';

const FOLLOWED_TIMEOUT_MS = 10_000;
/** A spend that was never sent: the client asks again, and the log keeps a row for each time. */
const ASKED_AGAIN = 'EXPIRED_UNSENT';

/** The replies to the agents, the audit log and the chain must agree. */
export async function reckon(
  stage: Stage,
  cast: Cast,
  told: { readonly ownerEvents: number; readonly earned: bigint },
): Promise<void> {
  const { reporter } = stage;
  reporter.chapter('Reconciliation');
  const items = await readLog(stage, cast, told.ownerEvents);
  const allowed = items.filter((item) => item.decision === 'allow' && item.spend_id !== null);
  await compareWithAnswers(stage, items, allowed);
  await compareWithChain(stage, cast, allowed, told.earned);
}

async function readLog(
  { reporter, ended }: Stage,
  { owner }: Cast,
  ownerEvents: number,
): Promise<readonly AuditItem[]> {
  return reporter.step('read the audit log', async (step) => {
    step.request('GET /v1/audit, then each next_cursor');
    // The rows of the owner's own transactions follow the chain, and come a moment later.
    const items = await poll(
      "the log to have the owner's transactions",
      async () => {
        const read = await Array.fromAsync(owner.audit());
        return ownActs(read).length < ownerEvents ? null : read;
      },
      { timeoutMs: FOLLOWED_TIMEOUT_MS, ended },
    );
    step.reply(`${items.length} rows`);
    step.expect('rows without repetition', items.length, new Set(items.map(({ id }) => id)).size);
    const times = items.map(({ created_at: createdAt }) => createdAt);
    step.expect('newest first', times.toSorted().toReversed(), times);
    const denials = await Array.fromAsync(owner.audit({ decision: 'deny' }));
    const expected = items.filter(({ decision }) => decision === 'deny');
    step.expect('the same rows with decision=deny', expected, denials);
    step.expect("the owner's own chain transactions", ownerEvents, ownActs(items).length);
    return items;
  });
}

const ownActs = (items: readonly AuditItem[]) =>
  items.filter(({ session_id: sessionId }) => sessionId === null);

async function compareWithAnswers(
  { reporter, ledger }: Stage,
  items: readonly AuditItem[],
  allowed: readonly AuditItem[],
): Promise<void> {
  await reporter.step('one decision per spend, matching the replies', async (step) => {
    const denied = items.filter(
      ({ decision, reason }) => decision === 'deny' && reason !== ASKED_AGAIN,
    );
    step.request('each reply of this demo against the log');
    step.expect('allowed', ledger.allowed().map(lineOfAllowed).toSorted(), allowedLines(allowed));
    step.expect('denied', ledger.denied().map(lineOfDenied).toSorted(), deniedLines(denied));
    step.reply(`${allowed.length} allowed, each with its signature; ${denied.length} denied`);
    const reasons = new Set(denied.map(({ reason }) => reason ?? 'none'));
    step.reply(`reasons: ${[...reasons].join(', ')}`);
  });
}

const lineOfAllowed = ({ spendId, recipient, amount, txSignature }: Allowed): string =>
  `${spendId} ${recipient} ${amount} ${txSignature}`;
const lineOfDenied = ({ spendId, recipient, amount, reason }: Denied): string =>
  `${spendId} ${recipient} ${amount} ${reason}`;
const allowedLines = (rows: readonly AuditItem[]): readonly string[] =>
  rows
    .map((row) => `${row.spend_id} ${row.recipient} ${row.amount} ${row.tx_signature}`)
    .toSorted();
const deniedLines = (rows: readonly AuditItem[]): readonly string[] =>
  rows.map((row) => `${row.spend_id} ${row.recipient} ${row.amount} ${row.reason}`).toSorted();

async function compareWithChain(
  stage: Stage,
  cast: Cast,
  allowed: readonly AuditItem[],
  earned: bigint,
): Promise<void> {
  await stage.reporter.step('chain balances against the log', async (step) => {
    step.request('balances and signatures from the RPC node, sums from the log');
    const rows = allowed.map((row) => ({
      recipient: row.recipient,
      amount: row.amount ?? 0n,
      signature: row.tx_signature ?? '',
    }));
    const to = (recipient: string): bigint =>
      totalOf(rows.filter((row) => row.recipient === recipient));
    // Deposits to the yield reserve have come back.
    const spent = totalOf(rows.filter((row) => row.recipient !== null));
    const expected = cast.funded - spent + earned;
    const held = await readHoldings(stage, cast);
    step.expect(
      'balances',
      {
        vault: expected,
        bakery: to(cast.bakery),
        printer: to(cast.printer),
        stranger: 0n,
      },
      held,
    );
    const landed = await stage.chain.countLanded(rows.map(({ signature }) => signature));
    step.expect('allow rows whose signature landed', rows.length, landed);
    step.chain(
      `vault ${inUsdc(held.vault)}; ${inUsdc(cast.funded)} funded − ${inUsdc(spent)} allowed ` +
        `+ ${inUsdc(earned)} earned = ${inUsdc(expected)}`,
    );
    step.chain(
      `bakery ${inUsdc(held.bakery)}, printer ${inUsdc(held.printer)}; ` +
        `allowed ${inUsdc(to(cast.bakery))}, ${inUsdc(to(cast.printer))}`,
    );
    step.chain(`${landed} of ${rows.length} signatures are successful chain transactions`);
  });
}
