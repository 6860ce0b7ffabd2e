import type { Rpc } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { SeenSend } from '../../support/rpc-proxy/sends.ts';
import type { Forgotten } from './forgotten.ts';

const stored = z.object({
  attempt: z.number(),
  earlierValidUntil: z.bigint().nullable(),
});

/** Inspects every transaction before the chain receives it. */
export type SendWatcher = {
  look(send: SeenSend): Promise<void>;
  /** Violated invariants, in sentences. */
  readonly violations: readonly string[];
  readonly signatures: () => number;
};

/**
 * Checks three invariants, directly with database and chain: an attempt is stored before its first
 * send; a later attempt is signed only when the finalized height has passed the last valid height
 * of the earlier ones; after a restore, of all attempts signed before it.
 */
export function createSendWatcher(io: {
  readonly db: Database;
  readonly rpc: Rpc;
  readonly forgotten: Forgotten;
}): SendWatcher {
  const seen = new Set<string>();
  const violations: string[] = [];

  async function look({ signature }: SeenSend): Promise<void> {
    if (seen.has(signature)) return;
    seen.add(signature);
    if (io.forgotten.knewSignature(signature)) return;
    const row = await io.db.maybeOne(sql.type(stored)`
      select attempt.attempt, (
        select max(last_valid_block_height) from attempt as earlier
        where earlier.spend_id = attempt.spend_id and earlier.attempt < attempt.attempt
      ) as "earlierValidUntil"
      from attempt where signature = ${signature}
    `);
    if (row === null) {
      violations.push(`${signature} was sent before it was stored`);
      return;
    }
    const forgottenUntil = io.forgotten.validUntil();
    if (row.earlierValidUntil === null && forgottenUntil === null) return;
    const { blockHeight } = await io.rpc.heightAndSlot('finalized');
    const when = `attempt ${row.attempt} (${signature}) was signed at finalized height ${blockHeight}`;
    if (row.earlierValidUntil !== null && blockHeight <= row.earlierValidUntil) {
      violations.push(`${when}, an earlier one was valid until ${row.earlierValidUntil}`);
    }
    if (forgottenUntil !== null && blockHeight <= forgottenUntil) {
      violations.push(`${when}, attempts before a restore until ${forgottenUntil}`);
    }
  }

  return {
    // Without its database the watcher cannot judge a send.
    look: (send) => look(send).catch(() => undefined),
    violations,
    signatures: () => seen.size,
  };
}
