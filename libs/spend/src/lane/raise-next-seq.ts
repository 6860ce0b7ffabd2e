import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/** Lifts a session's counter past the highest sequence number that the chain has seen. */
export async function raiseNextSeq(
  db: Database,
  { sessionPda, highestSeq }: { readonly sessionPda: string; readonly highestSeq: bigint },
): Promise<void> {
  await db.query(sql.unsafe`
    update session set next_seq = greatest(next_seq, ${highestSeq + 1n})
    where session_pda = ${sessionPda}
  `);
}
