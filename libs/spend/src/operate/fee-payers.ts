import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** The balance of an account that pays fees, in lamports. Below the floor it is not used. */
export type FeePayerBalance = {
  readonly address: string;
  readonly lamports: bigint;
  readonly floorLamports: bigint;
};

const feePayerRow = z.object({
  address: z.string(),
  lamports: z.bigint(),
  floorLamports: z.bigint(),
  secondsAgo: z.number(),
  inFlight: z.number(),
});

/** `secondsAgo`: when a tx-worker last read the balance. `inFlight`: attempts that it pays for. */
export type FeePayerRow = z.output<typeof feePayerRow>;

/** Records the balances that a tx-worker has read, for operators. */
export async function recordFeePayers(
  db: Database,
  balances: readonly FeePayerBalance[],
): Promise<void> {
  const rows = balances
    .map(({ address, lamports, floorLamports }) => [address, `${lamports}`, `${floorLamports}`])
    // One order in all workers.
    .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
  await db.query(sql.unsafe`
    insert into fee_payer (address, lamports, floor_lamports)
    select * from ${sql.unnest(rows, ['text', 'numeric', 'numeric'])} as told
    on conflict (address) do update
    set lamports = excluded.lamports, floor_lamports = excluded.floor_lamports, seen_at = now()
  `);
}

/** The fee payers of all tx-workers, also of those that no longer run. */
export async function listFeePayers(db: Database): Promise<readonly FeePayerRow[]> {
  return db.any(sql.type(feePayerRow)`
    select address, lamports, floor_lamports as "floorLamports",
      extract(epoch from now() - seen_at)::float8 as "secondsAgo",
      coalesce(open.attempts, 0)::int as "inFlight"
    from fee_payer
    left join (
      select attempt.fee_payer, count(*) as attempts
      from attempt_watch as watch join attempt
        on attempt.spend_id = watch.spend_id and attempt.attempt = watch.attempt
      group by attempt.fee_payer) as open on open.fee_payer = fee_payer.address
    order by address
  `);
}
