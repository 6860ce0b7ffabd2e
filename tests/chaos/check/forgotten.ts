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

/** A spend that the database had at some time. */
export type KnownSpend = z.output<typeof spendRow>;

/** The content of the database before each restore. */
export type Forgotten = {
  /** Reads the database, which must have no other connection any more. */
  remember(db: Database): Promise<void>;
  readonly knewSignature: (signature: string) => boolean;
  readonly spends: ReadonlyMap<string, KnownSpend>;
  /** Last block height at which an attempt from before a restore may land; null without one. */
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
