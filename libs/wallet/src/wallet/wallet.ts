import { sql } from 'slonik';
import { z } from 'zod';

export const walletRow = z.object({
  walletId: z.string(),
  owner: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
  maxDeployedFractionBp: z.number(),
  status: z.enum(['pending', 'active']),
  activeSlot: z.bigint().nullable(),
  closedSlot: z.bigint().nullable(),
  createdAt: z.date(),
});

/** An owner's wallet as recorded here. Its balances are on chain. */
export type Wallet = z.output<typeof walletRow>;

export const walletColumns = sql.fragment`
  wallet_id as "walletId", owner, vault_pda as "vaultPda", vault_usdc_ata as "vaultUsdcAta",
  max_deployed_fraction_bp as "maxDeployedFractionBp", status,
  active_slot as "activeSlot", closed_slot as "closedSlot", created_at as "createdAt"
`;
