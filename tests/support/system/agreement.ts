/** Checks that a wallet at rest, its audit log and the chain agree. */
import { verifyAudit } from '@agent-wallet/audit';
import { sql } from 'slonik';
import { z } from 'zod';
import type { LaneFixture } from './lane-fixture.ts';
import { waitUntil } from '../wait-until.ts';

export type Purse = {
  readonly walletId: string;
  readonly vaultUsdcAta: string;
  /** Base units at the start. */
  readonly funds: bigint;
};

const spendRow = z.object({
  spendId: z.string(),
  status: z.string(),
  amount: z.bigint(),
  recipient: z.string(),
  txSignature: z.string().nullable(),
  decisions: z.array(z.string()),
});
const openRow = z.object({ open: z.number() });
/** The number of signatures that a node accepts in one call. */
const SIGNATURES_PER_CALL = 256;

/** Waits until no spend of the wallet is open. */
export async function atRest(
  { db }: LaneFixture,
  walletId: string,
  timeoutMs = 90_000,
): Promise<void> {
  const countOpen = (): Promise<number> =>
    db.oneFirst(sql.type(openRow)`
      select count(*)::int as open from spend
      where wallet_id = ${walletId}::uuid and status in ('queued', 'in_flight')
    `);
  const options = { timeoutMs, intervalMs: 200 };
  await waitUntil('no open spend', async () => (await countOpen()) === 0, options);
}

/**
 * The disagreements, in sentences. Call it when the wallet is at rest; no one else may have paid
 * its recipients.
 */
export async function findDisagreements(
  fixture: LaneFixture,
  { walletId, vaultUsdcAta, funds }: Purse,
): Promise<readonly string[]> {
  const { db, rpc, program } = fixture;
  const spends = await db.any(sql.type(spendRow)`
    select spend_id as "spendId", status, amount, recipient, tx_signature as "txSignature",
      array(select decision || correction from audit where audit.spend_id = spend.spend_id)
        as decisions
    from spend where wallet_id = ${walletId}::uuid
  `);
  const paid = spends.filter(({ status }) => status === 'confirmed' || status === 'finalized');
  const sum = (some: typeof paid): bigint => some.reduce((total, one) => total + one.amount, 0n);

  const wrong = spends
    .filter((one) => one.decisions.join() !== (paid.includes(one) ? 'allow0' : 'deny0'))
    .map((one) => `${one.spendId} is ${one.status}, decided: ${one.decisions.join()}`);

  const expected = new Map([[vaultUsdcAta, funds - sum(paid)]]);
  for (const [recipient, own] of Map.groupBy(paid, (one) => one.recipient)) {
    expected.set(program.addresses.usdcAta(recipient), sum(own));
  }
  for (const [account, amount] of expected) {
    const balance = await fixture.balance(account);
    if (balance !== amount) wrong.push(`${account} holds ${balance} instead of ${amount}`);
  }

  const signatures = [...new Set(paid.map(({ txSignature }) => txSignature ?? ''))];
  if (signatures.length !== paid.length) wrong.push('two spends name the same signature');
  for (let start = 0; start < signatures.length; start += SIGNATURES_PER_CALL) {
    const some = signatures.slice(start, start + SIGNATURES_PER_CALL);
    const { statuses } = await rpc.signatureStatuses(some, { searchHistory: true });
    const missing = statuses.filter((status) => status === null || status.err !== null).length;
    if (missing > 0) wrong.push(`${missing} signatures of paid spends did not land`);
  }

  const log = await verifyAudit(db, walletId);
  if (log.kind === 'broken') wrong.push(`the audit log is broken at ${log.seq}: ${log.why}`);
  return wrong;
}
