import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Wallet } from '@agent-wallet/wallet';

/** Finds the first spend or event of the wallet without a row in the log; null without one. */
export async function findUnlogged(db: Database, wallet: Wallet): Promise<string | null> {
  return (await findUnloggedSpend(db, wallet)) ?? (await findUnloggedEvent(db, wallet));
}

const spendRow = z.object({ spendId: z.string(), status: z.string() });

async function findUnloggedSpend(db: Database, { walletId }: Wallet): Promise<string | null> {
  const spend = await db.maybeOne(sql.type(spendRow)`
    select spend_id as "spendId", status from spend
    where wallet_id = ${walletId}::uuid and status not in ('queued', 'in_flight')
      and not exists (select 1 from audit
        where audit.spend_id = spend.spend_id and audit.wallet_id = spend.wallet_id
          and correction = 0)
    order by accepted_no
    limit 1
  `);
  if (spend === null) return null;
  return `spend ${spend.spendId} is ${spend.status}, and the log has no decision on it`;
}

const eventRow = z.object({ name: z.string(), signature: z.string(), slot: z.bigint() });

/** Ignores events of the last seconds, whose rows may not be written yet. */
async function findUnloggedEvent(
  db: Database,
  { walletId, vaultPda: vault }: Wallet,
): Promise<string | null> {
  const event = await db.maybeOne(sql.type(eventRow)`
    select name, signature, slot from program_event as event
    where vault = ${vault} and seen_at < now() - interval '10 seconds'
      and not exists (select 1 from audit a
        where a.wallet_id = ${walletId}::uuid and a.decision = 'allow'
          and a.tx_signature = event.signature and a.spend_id is not distinct from event.spend_id)
      and not exists (select 1 from audit a
        where a.wallet_id = ${walletId}::uuid and a.reason = 'FORKED_OUT'
          and a.detail_signature = event.signature)
    order by slot, signature
    limit 1
  `);
  if (event === null) return null;
  return `event ${event.name} of ${event.signature} in slot ${event.slot} has no row in the log`;
}
