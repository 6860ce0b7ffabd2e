import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const agentRow = z.object({
  sessionId: z.string(),
  walletId: z.string(),
  sessionPda: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
  keyRevoked: z.boolean(),
  sessionRevoked: z.boolean(),
});

/** The session of an agent's key, and whether key or session is revoked. */
type AgentRow = z.output<typeof agentRow>;

/** The session that an agent's key authenticates. */
export type Agent = Omit<AgentRow, 'keyRevoked' | 'sessionRevoked'>;

/** Finds the session of a key by the hash of the key; null for an unknown key. */
export async function findAgent(db: Database, keyHash: Buffer): Promise<AgentRow | null> {
  return db.maybeOne(sql.type(agentRow)`
    select k.session_id as "sessionId", k.wallet_id as "walletId",
      s.session_pda as "sessionPda", w.vault_pda as "vaultPda",
      w.vault_usdc_ata as "vaultUsdcAta", k.revoked_at is not null as "keyRevoked",
      s.status = 'revoked' as "sessionRevoked"
    from api_key k
    join session s on s.session_id = k.session_id
    join wallet w on w.wallet_id = k.wallet_id
    where k.key_hash = ${sql.binary(keyHash)}
  `);
}
