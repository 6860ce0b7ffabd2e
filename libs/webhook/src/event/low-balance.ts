import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { insertDeliveries } from '../delivery/insert-deliveries.ts';
import { writeEvent } from './write-event.ts';

const watchedRow = z.object({
  webhookId: z.string(),
  walletId: z.string(),
  vaultUsdcAta: z.string(),
  lowBalanceBelow: z.bigint(),
  isLow: z.boolean(),
});

/** A webhook that waits for a low balance. Amounts are base units. */
export type WatchedBalance = z.output<typeof watchedRow>;

/** The webhooks that wait for a low balance of an active wallet, after `afterId`, by their id. */
export async function listWatchedBalances(
  db: Database,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<readonly WatchedBalance[]> {
  return db.any(sql.type(watchedRow)`
    select endpoint.endpoint_id as "webhookId", endpoint.wallet_id as "walletId",
      wallet.vault_usdc_ata as "vaultUsdcAta", endpoint.low_balance_below as "lowBalanceBelow",
      endpoint.low_since is not null as "isLow"
    from webhook_endpoint endpoint join wallet on wallet.wallet_id = endpoint.wallet_id
    where endpoint.enabled and 'wallet.low_balance' = any (endpoint.events)
      and wallet.status = 'active'
      and (${afterId}::uuid is null or endpoint.endpoint_id > ${afterId}::uuid)
    order by endpoint.endpoint_id
    limit ${limit}
  `);
}

/**
 * Records a balance. The first one below the threshold inserts `wallet.low_balance`; after that none
 * does until one was 10 % above the threshold, so that a balance around it does not repeat the event.
 * Returns whether there is an event.
 */
export async function recordBalance(
  db: Database,
  watched: WatchedBalance,
  liquid: bigint,
): Promise<boolean> {
  const { webhookId, walletId, lowBalanceBelow, isLow } = watched;
  if (isLow) {
    if (liquid * 10n < lowBalanceBelow * 11n) return false;
    await db.query(sql.unsafe`
      update webhook_endpoint set low_since = null where endpoint_id = ${webhookId}::uuid
    `);
    return false;
  }
  if (liquid >= lowBalanceBelow) return false;
  return db.transaction(async (tx) => {
    const fallen = await tx.maybeOne(sql.type(z.object({ at: z.date() }))`
      update webhook_endpoint set low_since = now()
      where endpoint_id = ${webhookId}::uuid and low_since is null
        and low_balance_below = ${lowBalanceBelow.toString()}::numeric
      returning low_since as at
    `);
    if (fallen === null) return false;
    const type = 'wallet.low_balance';
    const data = {
      wallet_id: walletId,
      liquid: liquid.toString(),
      low_balance_below: lowBalanceBelow.toString(),
    };
    const eventId = `evt_${crypto.randomUUID().replaceAll('-', '')}`;
    const body = writeEvent({ type, at: fallen.at, data });
    await insertDeliveries(tx, { webhookId, walletId }, [{ eventId, type, sessionId: null, body }]);
    return true;
  });
}
