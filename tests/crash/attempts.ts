/** Checks that attempts are stored before they are sent, and signed one after the other. */
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { CONFIRMED_TO_FINAL_BLOCKS, type SeenSend } from '../support/chain/chain-double.ts';
import { BLOCKHASH_BLOCKS } from '../support/chain/chain-double-blockhash.ts';

const exists = z.object({ stored: z.boolean() });

/**
 * Bytes may be sent only after their attempt is committed, and given to a facilitator only after
 * their release is. Returns a violation in one sentence, null without one.
 */
export async function findTooEarlySend(
  db: Database,
  { transfer }: SeenSend,
): Promise<string | null> {
  const { signature, spendId } = transfer;
  const { stored } = await db.one(sql.type(exists)`
    select exists (
      select 1 from attempt join spend on spend.spend_id = attempt.spend_id
      where case broadcaster when 'worker' then signature = ${signature}
        else spend.spend_id = ${spendId}::uuid and released_at is not null end
    ) as stored
  `);
  return stored ? null : `bytes of spend ${spendId} were sent before their attempt was stored`;
}

const attemptRow = z.object({
  spendId: z.string(),
  attempt: z.number(),
  lastValid: z.bigint(),
  newest: z.number(),
});

/**
 * Attempts must be numbered without a gap, and each later one signed when the finalized chain was
 * past the last valid block height of the one before.
 */
export async function findIllegalAttempts(
  db: Database,
  sessionId: string,
): Promise<readonly string[]> {
  const rows = await db.any(sql.type(attemptRow)`
    select spend.spend_id as "spendId", attempt.attempt, spend.attempt as newest,
      last_valid_block_height as "lastValid"
    from attempt join spend on spend.spend_id = attempt.spend_id
    where spend.session_id = ${sessionId}::uuid
    order by spend.spend_id, attempt.attempt
  `);
  return [...Map.groupBy(rows, ({ spendId }) => spendId).values()].flatMap((attempts) =>
    attempts.flatMap(({ spendId, attempt, lastValid, newest }, index) => {
      if (attempt !== index + 1 || newest !== attempts.length) {
        return [`spend ${spendId} has gaps in its attempts`];
      }
      const before = attempts[index - 1];
      const finalizedThen = lastValid - BLOCKHASH_BLOCKS - CONFIRMED_TO_FINAL_BLOCKS;
      return before === undefined || finalizedThen > before.lastValid
        ? []
        : [`attempt ${attempt} of spend ${spendId} was signed before ${attempt - 1} had expired`];
    }),
  );
}
