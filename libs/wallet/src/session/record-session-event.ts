/** Events of the program about a session. The chain's values win over the requested ones. */
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { SessionRow } from './session.ts';

type Limits = Pick<SessionRow, 'maxPerTx' | 'dailyCap' | 'expiry' | 'allowedInstructions'>;

const setLimits = (limits: Limits) => sql.fragment`
  max_per_tx = ${limits.maxPerTx.toString()}::numeric,
  daily_cap = ${limits.dailyCap.toString()}::numeric,
  expiry = ${limits.expiry}, allowed_instructions = ${limits.allowedInstructions}
`;

const setRecipients = (recipients: readonly string[]) => sql.fragment`
  allowed_recipients = ${sql.array([...recipients], 'text')}
`;

/** The session was created on chain at `slot`, as number `index` of its vault. */
export async function recordSessionAdded(
  tx: SqlTransaction,
  session: Limits & {
    readonly sessionPda: string;
    readonly index: bigint;
    readonly recipients: readonly string[];
    readonly slot: bigint;
  },
): Promise<void> {
  await tx.query(sql.unsafe`
    update session
    set status = 'live', live_slot = ${session.slot},
      session_index = ${session.index.toString()}::numeric,
      ${setLimits(session)}, ${setRecipients(session.recipients)}
    where session_pda = ${session.sessionPda} and status = 'awaiting_owner_signature'
  `);
}

/** The owner changed the session's limits. */
export async function recordSessionLimits(
  tx: SqlTransaction,
  session: Limits & { readonly sessionPda: string },
): Promise<void> {
  await tx.query(sql.unsafe`
    update session set ${setLimits(session)} where session_pda = ${session.sessionPda}
  `);
}

/** The owner replaced the session's recipients. */
export async function recordSessionRecipients(
  tx: SqlTransaction,
  session: { readonly sessionPda: string; readonly recipients: readonly string[] },
): Promise<void> {
  await tx.query(sql.unsafe`
    update session set ${setRecipients(session.recipients)}
    where session_pda = ${session.sessionPda}
  `);
}

/** The owner revoked the session at `slot`. */
export async function recordSessionRevoked(
  tx: SqlTransaction,
  session: { readonly sessionPda: string; readonly slot: bigint },
): Promise<void> {
  await tx.query(sql.unsafe`
    update session set status = 'revoked', revoked_slot = ${session.slot}
    where session_pda = ${session.sessionPda} and status <> 'revoked'
  `);
}
