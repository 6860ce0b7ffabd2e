import { appendAudit } from '@agent-wallet/audit';
import type { Database } from '@agent-wallet/db';
import { holdWallet } from '@agent-wallet/wallet';
import { sql } from 'slonik';
import { REFUSALS, type Spend, spendColumns, spendRow } from '../spend.ts';
import { denialOf } from './deny-spend.ts';
import { isAcceptingSpends } from './is-accepting-spends.ts';

/**
 * Refuses a spend that no lane ever claimed: nothing was signed, nothing moved, a retry is safe.
 * The row gives its Idempotency-Key back. Null when a lane was faster or the spend has settled.
 */
export async function cancelQueued(
  db: Database,
  { spendId, walletId }: { readonly spendId: string; readonly walletId: string },
): Promise<Spend | null> {
  const [cancelled] = await cancelAllQueued(db, walletId, [spendId]);
  return cancelled ?? null;
}

/**
 * The same for several spends of one wallet, in one SQL transaction. Returns one result for each
 * spend, in the same order. Throws Postgres' 55P03 while another SQL transaction holds the wallet
 * for more than 3 s.
 */
export async function cancelAllQueued(
  db: Database,
  walletId: string,
  spendIds: readonly string[],
): Promise<readonly (Spend | null)[]> {
  const cancelled = await holdWallet(db, walletId, async (tx) => {
    // A restored database may not know that these spends were sent.
    if (!(await isAcceptingSpends(tx))) return [];
    const spends = await tx.any(sql.type(spendRow)`
      update spend
      set status = 'rejected', code = ${REFUSALS.expiredUnsent}, settled_at = now(),
        detail = 'no worker took it in time; nothing was sent',
        idempotency_key = null, request_digest = null
      from (
        select spend_id as unclaimed_id from spend
        where spend_id = any(${sql.array(spendIds, 'uuid')})
          and wallet_id = ${walletId}::uuid and status = 'queued' and attempt = 0
        order by spend_id
        for no key update
      ) as unclaimed
      where spend_id = unclaimed_id
      returning ${spendColumns}
    `);
    const reason = REFUSALS.expiredUnsent;
    const denials = spends.map((spend) => denialOf(spend, { reason, detail: spend.detail }));
    await appendAudit(tx, walletId, denials);
    return spends;
  });
  const byId = new Map(cancelled.map((spend) => [spend.spendId, spend]));
  return spendIds.map((spendId) => byId.get(spendId) ?? null);
}
