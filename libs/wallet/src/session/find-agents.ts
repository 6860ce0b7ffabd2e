import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const agentRow = z.object({
  keyHash: z.instanceof(Buffer),
  sessionId: z.string(),
  walletId: z.string(),
  sessionPda: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
  keyRevoked: z.boolean(),
  sessionRevoked: z.boolean(),
});

/** The session of an agent's key, and whether key or session is revoked. */
export type FoundAgent = Omit<z.output<typeof agentRow>, 'keyHash'>;

/** The session that an agent's key authenticates. */
export type Agent = Omit<FoundAgent, 'keyRevoked' | 'sessionRevoked'>;

/** Finds the sessions of keys by the hashes of the keys, in their order; null for an unknown key. */
export async function findAgents(
  db: Database,
  keyHashes: readonly Buffer[],
): Promise<readonly (FoundAgent | null)[]> {
  const rows = await db.any(sql.type(agentRow)`
    select k.key_hash as "keyHash", k.session_id as "sessionId", k.wallet_id as "walletId",
      s.session_pda as "sessionPda", w.vault_pda as "vaultPda",
      w.vault_usdc_ata as "vaultUsdcAta", k.revoked_at is not null as "keyRevoked",
      s.status = 'revoked' as "sessionRevoked"
    from api_key k
    join session s on s.session_id = k.session_id
    join wallet w on w.wallet_id = k.wallet_id
    where k.key_hash = any(${sql.array([...keyHashes], 'bytea')})
  `);
  const byHash = new Map(rows.map(({ keyHash, ...agent }) => [keyHash.toString('hex'), agent]));
  return keyHashes.map((keyHash) => byHash.get(keyHash.toString('hex')) ?? null);
}
