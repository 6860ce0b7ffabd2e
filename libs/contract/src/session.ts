import { z } from 'zod';
import { address } from './address.ts';
import { amountIn, amountOut } from './amount.ts';

/** Recipients a session can list; the account on chain has room for no more. */
export const MAX_RECIPIENTS = 10;

const EXPIRY_FAULT = 'must be an integer in unix seconds';
const BITS_FAULT = 'must be a sum of 1 (transfer), 2 (yield deposit) and 4 (yield withdraw), or 0';
/** Unix seconds reach this in the year 5138; milliseconds passed it in 1973. */
const LOOKS_LIKE_MILLISECONDS = 100_000_000_000;

const expiryIn = z
  .int({ error: EXPIRY_FAULT })
  .refine((value) => value <= LOOKS_LIKE_MILLISECONDS, {
    error: `${EXPIRY_FAULT}; this value looks like milliseconds`,
  });

const recipientsIn = z
  .array(address, { error: 'must be an array of base58 addresses' })
  .max(MAX_RECIPIENTS, { error: `must hold at most ${MAX_RECIPIENTS} addresses` })
  .refine((list) => new Set(list).size === list.length, {
    error: 'must not hold the same address twice',
  });

const instructionBits = z
  .int({ error: BITS_FAULT })
  .min(0, { error: BITS_FAULT })
  .max(7, { error: BITS_FAULT });

export const createSessionBody = z.object(
  {
    wallet_id: z.string({ error: 'must be a string' }),
    max_per_tx: amountIn,
    daily_cap: amountIn,
    expiry: expiryIn,
    allowed_recipients: recipientsIn,
    allowed_instructions: instructionBits,
  },
  { error: 'must be a JSON object' },
);

export type CreateSessionBody = z.infer<typeof createSessionBody>;

export const recipientsBody = z.object(
  { allowed_recipients: recipientsIn },
  { error: 'must be a JSON object' },
);

/** What is left out stays as it is. */
export const limitsBody = z
  .object(
    {
      max_per_tx: amountIn.optional(),
      daily_cap: amountIn.optional(),
      expiry: expiryIn.optional(),
      allowed_instructions: instructionBits.optional(),
    },
    { error: 'must be a JSON object' },
  )
  .refine((limits) => Object.values(limits).some((value) => value !== undefined), {
    error: 'must name one of max_per_tx, daily_cap, expiry and allowed_instructions',
  });

export type LimitsBody = z.output<typeof limitsBody>;

export const createSessionAnswer = z.object({
  session_id: z.uuid(),
  session_pda: z.string(),
  session_pubkey: z.string(),
  api_key: z.string(),
  txBase64: z.base64(),
});

export const rotateKeyAnswer = z.object({ session_id: z.uuid(), api_key: z.string() });

/** A transaction for the owner to sign and send. */
export const ownerTransactionAnswer = z.object({ txBase64: z.base64() });

/** `daily_*` are computed at the time of the answer; times are unix seconds unless they say ISO. */
export const sessionAnswer = z.object({
  session_id: z.uuid(),
  session_pda: z.string(),
  wallet_id: z.uuid(),
  session_pubkey: z.string(),
  status: z.enum(['awaiting_owner_signature', 'live', 'expired', 'revoked']),
  max_per_tx: amountOut,
  daily_cap: amountOut,
  daily_spent: amountOut,
  daily_remaining: amountOut,
  daily_window_start: z.int(),
  daily_resets_at: z.int().nullable(),
  expiry: z.int(),
  allowed_recipients: z.array(z.string()),
  allowed_instructions: z.int(),
  key_prefix: z.string().nullable(),
  created_at: z.iso.datetime(),
});

export type SessionAnswer = z.infer<typeof sessionAnswer>;

export const sessionListAnswer = z.object({ items: z.array(sessionAnswer) });
