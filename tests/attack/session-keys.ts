import { randomBytes } from 'node:crypto';
import type { Database } from '@agent-wallet/db';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';

/** As long as a sealed key is; nothing ever opens these. */
const SEALED_BYTES = 92;

/** Free session keys, where no tx-worker makes any: sessions can be created, and never spend. */
export async function addSessionKeys(db: Database, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await db.query(sql.unsafe`
      insert into session_key (pubkey, sealed, key_version)
      values (${Keypair.generate().publicKey.toBase58()}, ${sql.binary(randomBytes(SEALED_BYTES))}, 1)
    `);
  }
}
