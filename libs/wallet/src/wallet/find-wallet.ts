import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Wallet, walletColumns, walletRow } from './wallet.ts';

/** The owner's wallet; null before its creation. */
export async function findWallet(db: Database, owner: string): Promise<Wallet | null> {
  return db.maybeOne(sql.type(walletRow)`
    select ${walletColumns} from wallet where owner = ${owner}
  `);
}
