import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const yieldRow = z.object({
  deposited: z.bigint(),
  withdrawn: z.bigint(),
  collateral: z.bigint(),
  isSweptInKind: z.boolean(),
});

/**
 * What a vault has moved to and from the yield reserve since its first event: base units of USDC,
 * and the units of collateral that these deposits bought less those that these withdrawals redeemed.
 * Someone else can send collateral to a vault, so `collateral` is below 0 once that is redeemed.
 */
export type YieldMoved = z.output<typeof yieldRow>;

/** Sums the recorded yield events of a vault, of its sessions and its owner. */
export async function sumYield(db: Database, vaultPda: string): Promise<YieldMoved> {
  return db.one(sql.type(yieldRow)`
    with event as materialized (
      select name, data,
        (data ->> 'liquidity_delta')::numeric as usdc,
        (data ->> 'collateral_delta')::numeric as collateral
      from program_event
      where vault = ${vaultPda}
        and name in ('YieldInitialized', 'YieldDeposited', 'YieldWithdrawn', 'TokenAccountSwept')
    )
    select
      coalesce(sum(usdc) filter (where name = 'YieldDeposited'), 0) as deposited,
      coalesce(sum(usdc) filter (where name = 'YieldWithdrawn'), 0) as withdrawn,
      coalesce(sum(collateral) filter (where name = 'YieldDeposited'), 0)
        - coalesce(sum(collateral) filter (where name = 'YieldWithdrawn'), 0) as collateral,
      exists (
        select from event as swept
        join event as initialized
          on swept.data ->> 'token_account' = initialized.data ->> 'collateral_token_account'
        where swept.name = 'TokenAccountSwept' and initialized.name = 'YieldInitialized'
          and (swept.data ->> 'amount')::numeric > 0
      ) as "isSweptInKind"
    from event
  `);
}
