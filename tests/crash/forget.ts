/** A restore of one session to the moment before its spends were claimed. */
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { SmallWorld } from './small-world.ts';

const forgottenRow = z.object({ signature: z.string(), validUntil: z.bigint() });

/**
 * Undoes every write since the claims. After that, nothing may be signed before the finalized chain
 * has passed the last valid block height of every forgotten attempt.
 */
export async function forgetClaims(world: SmallWorld): Promise<void> {
  const { db, sessionId, chain, violations } = world;
  const forgotten = await db.any(sql.type(forgottenRow)`
    select signature, last_valid_block_height as "validUntil" from attempt
    where session_id = ${sessionId}::uuid
  `);
  const known = new Set(forgotten.map(({ signature }) => signature));
  const until = forgotten.reduce(
    (most, one) => (one.validUntil > most ? one.validUntil : most),
    0n,
  );
  await forgetRows(db, { sessionId, vault: chain.vault });
  const { onSend } = chain;
  chain.onSend = async (send) => {
    const { signature, amount } = send.transfer;
    // Its attempt was stored before the restore.
    if (known.has(signature)) return;
    await onSend(send);
    const { blockHeight } = await chain.rpc.heightAndSlot('finalized');
    if (blockHeight > until) return;
    violations.push(
      `${amount} was signed at ${blockHeight}, forgotten bytes are valid until ${until}`,
    );
  };
}

async function forgetRows(
  db: Database,
  of: { readonly sessionId: string; readonly vault: string },
): Promise<void> {
  const ofSession = sql.fragment`where session_id = ${of.sessionId}::uuid`;
  await db.query(sql.unsafe`
    delete from attempt_watch
    where spend_id in (select spend_id from attempt ${ofSession})
  `);
  await db.query(sql.unsafe`delete from attempt ${ofSession}`);
  await db.query(sql.unsafe`delete from program_event where vault = ${of.vault}`);
  await db.query(sql.unsafe`
    update spend
    set status = case when status = 'in_flight' then 'queued' else status end,
      attempt = 0, broadcasts = 0, spend_seq = null, tx_signature = null, claimed_at = null
    ${ofSession}
  `);
  await db.query(sql.unsafe`update session set next_seq = 1 ${ofSession}`);
  await db.query(sql.unsafe`
    update lane set fence = 0, holder = null, lease_until = '-infinity' ${ofSession}
  `);
}

/** As after a recovery on a new timeline: intake is closed from the first query on. */
export async function showOtherTimeline(db: Database): Promise<void> {
  await db.query(sql.unsafe`update deployment set identity = 'another timeline'`);
}
