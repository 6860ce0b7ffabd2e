import { sql } from 'slonik';
import { z } from 'zod';

export const sessionRow = z.object({
  sessionId: z.string(),
  walletId: z.string(),
  sessionPubkey: z.string(),
  sessionPda: z.string(),
  /** Null until the session has been seen on chain. */
  sessionIndex: z.bigint().nullable(),
  maxPerTx: z.bigint(),
  dailyCap: z.bigint(),
  expiry: z.bigint(),
  allowedRecipients: z.array(z.string()),
  allowedInstructions: z.number(),
  status: z.enum(['awaiting_owner_signature', 'live', 'revoked']),
  liveSlot: z.bigint().nullable(),
  keyPrefix: z.string().nullable(),
  createdAt: z.date(),
});

/** A session as recorded here. Amounts in base units, `expiry` in unix seconds. */
export type SessionRow = z.output<typeof sessionRow>;

/** Every session with the prefix of its live key, if it has one. */
export const sessions = sql.fragment`
  select session.session_id as "sessionId", session.wallet_id as "walletId",
    session.session_pubkey as "sessionPubkey", session.session_pda as "sessionPda",
    session.session_index as "sessionIndex",
    session.max_per_tx as "maxPerTx", session.daily_cap as "dailyCap", session.expiry,
    session.allowed_recipients as "allowedRecipients",
    session.allowed_instructions as "allowedInstructions", session.status,
    session.live_slot as "liveSlot", api_key.key_prefix as "keyPrefix",
    session.created_at as "createdAt"
  from session
  join wallet on wallet.wallet_id = session.wallet_id
  left join api_key on api_key.session_id = session.session_id and api_key.revoked_at is null
`;
