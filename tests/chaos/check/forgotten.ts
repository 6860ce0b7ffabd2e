import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const attemptRow = z.object({ signature: z.string(), validUntil: z.bigint() });
const spendRow = z.object({
  spendId: z.string(),
  walletId: z.string(),
  recipient: z.string(),
  amount: z.bigint(),
});

/** A spend that a database knew at some time. */
export type KnownSpend = z.output<typeof spendRow>;

/** What databases knew that were replaced by an earlier copy of themselves. */
export type Forgotten = {
  /** Reads everything; call it when nobody can write any more. */
  remember(db: Database): Promise<void>;
  readonly knewSignature: (signature: string) => boolean;
  readonly spends: ReadonlyMap<string, KnownSpend>;
  /** Block height until which something signed before a restore may land; null: no restore yet. */
  readonly validUntil: () => bigint | null;
};

export function createForgotten(): Forgotten {
  const signatures = new Set<string>();
  const spends = new Map<string, KnownSpend>();
  let validUntil: bigint | null = null;

  async function remember(db: Database): Promise<void> {
    const attempts = await db.any(sql.type(attemptRow)`
      select signature, last_valid_block_height as "validUntil" from attempt
    `);
    for (const attempt of attempts) {
      signatures.add(attempt.signature);
      if (validUntil === null || attempt.validUntil > validUntil) validUntil = attempt.validUntil;
    }
    const known = await db.any(sql.type(spendRow)`
      select spend_id as "spendId", wallet_id as "walletId", recipient, amount from spend
    `);
    for (const spend of known) spends.set(spend.spendId, spend);
  }

  return {
    remember,
    knewSignature: (signature) => signatures.has(signature),
    spends,
    validUntil: () => validUntil,
  };
}
