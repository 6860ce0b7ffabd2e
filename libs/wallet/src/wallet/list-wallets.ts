import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Wallet, walletColumns, walletRow } from './wallet.ts';

const PAGE = 500;
const MAX_PAGES = 1_000_000;

/** All wallets in the order of their ids, read in pages; only one wallet with a `walletId`. */
export async function* listWallets(
  db: Database,
  walletId: string | null,
): AsyncGenerator<Wallet, void, undefined> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const wallets = await db.any(sql.type(walletRow)`
      select ${walletColumns} from wallet
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
