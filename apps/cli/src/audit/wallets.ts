import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const walletRow = z.object({
  walletId: z.string(),
  owner: z.string(),
  vault: z.string(),
  vaultUsdcAta: z.string(),
});

/** The stored addresses of a wallet. */
export type Wallet = z.output<typeof walletRow>;

const PAGE = 500;
const MAX_PAGES = 1_000_000;

/** Lists all wallets, or only `walletId`, in the order of their ids. */
export async function* listWallets(
  db: Database,
  walletId: string | null,
): AsyncGenerator<Wallet, void, undefined> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const wallets = await db.any(sql.type(walletRow)`
      select wallet_id as "walletId", owner, vault_pda as vault, vault_usdc_ata as "vaultUsdcAta"
      from wallet
      where wallet_id > ${after}::uuid
        and (${walletId}::uuid is null or wallet_id = ${walletId}::uuid)
      order by wallet_id
      limit ${PAGE}
    `);
    yield* wallets;
    after = wallets.at(-1)?.walletId ?? after;
    if (wallets.length < PAGE) return;
  }
}
