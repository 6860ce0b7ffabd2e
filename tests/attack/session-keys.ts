import { randomBytes } from 'node:crypto';
import type { Database } from '@agent-wallet/db';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';

/** The length of a sealed key; these are never opened. */
const SEALED_BYTES = 92;

/**
 * Adds unused session keys where no tx-worker runs. Their sessions can be created, but not spend.
 */
export async function addSessionKeys(db: Database, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await db.query(sql.unsafe`
      insert into session_key (pubkey, sealed, key_version)
      values (${Keypair.generate().publicKey.toBase58()}, ${sql.binary(randomBytes(SEALED_BYTES))}, 1)
    `);
  }
}
