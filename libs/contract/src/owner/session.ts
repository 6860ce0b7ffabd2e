import { z } from 'zod';
import { address } from '../fields/address.ts';
import { amountIn, amountOut } from '../fields/amount.ts';
import { SAMPLE, SAMPLE_SESSION } from '../fields/samples.ts';

/** Maximum number of recipients: the capacity of the account on chain. */
export const MAX_RECIPIENTS = 10;

const EXPIRY_FAULT = 'must be an integer in unix seconds';
const BITS_FAULT = 'must be a sum of 1 (transfer), 2 (yield deposit) and 4 (yield withdraw), or 0';
/** Above this, an expiry is in milliseconds: those passed it in 1973, seconds reach it in 5138. */
const LOOKS_LIKE_MILLISECONDS = 100_000_000_000;

const expiryIn = z
  .int({ error: EXPIRY_FAULT })
  .refine((value) => value <= LOOKS_LIKE_MILLISECONDS, {
    error: `${EXPIRY_FAULT}; this value looks like milliseconds`,
  })
  .meta({ description: 'Unix seconds; the last second in which the session may spend.' });

const recipientsIn = z
  .array(address, { error: 'must be an array of base58 addresses' })
  .max(MAX_RECIPIENTS, { error: `must hold at most ${MAX_RECIPIENTS} addresses` })
  .refine((list) => new Set(list).size === list.length, {
    error: 'must not hold the same address twice',
  })
  .meta({ uniqueItems: true });

const instructionBits = z
  .int({ error: BITS_FAULT })
  .min(0, { error: BITS_FAULT })
  .max(7, { error: BITS_FAULT })
  .meta({ description: 'A sum of 1 (transfer), 2 (yield deposit) and 4 (yield withdraw), or 0.' });

export const createSessionBody = z
  .object(
    {
      wallet_id: z.string({ error: 'must be a string' }),
      max_per_tx: amountIn,
      daily_cap: amountIn,
      expiry: expiryIn,
      allowed_recipients: recipientsIn,
      allowed_instructions: instructionBits,
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    examples: [
      {
        wallet_id: SAMPLE.walletId,
        max_per_tx: 1_000_000,
        daily_cap: 5_000_000,
        expiry: SAMPLE_SESSION.expiry,
        allowed_recipients: [SAMPLE.recipient],
        allowed_instructions: 1,
      },
    ],
  });

export type CreateSessionBody = z.infer<typeof createSessionBody>;

export const recipientsBody = z
  .object({ allowed_recipients: recipientsIn }, { error: 'must be a JSON object' })
  .meta({ examples: [{ allowed_recipients: [SAMPLE.recipient] }] });

/** Omitted limits keep their value. */
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
  })
  .meta({ minProperties: 1, examples: [{ daily_cap: 2_000_000 }] });

export type LimitsBody = z.output<typeof limitsBody>;

const apiKey = z.string().describe("The agent's bearer key; shown this once.");
const unsigned = z.base64().describe('An unsigned transaction: the owner signs and submits it.');

export const createSessionAnswer = z
  .object({
    session_id: z.uuid(),
    session_pda: z.string(),
    session_pubkey: z.string(),
    api_key: apiKey
      .nullable()
      .describe("The agent's bearer key, shown once; null in a repetition."),
    txBase64: unsigned
      .nullable()
      .describe(
        'An unsigned transaction: the owner signs and submits it. Null in a repetition when the session is on chain or its expiry has passed.',
      ),
  })
  .meta({
    description: 'The session is live once the transaction is confirmed.',
    examples: [
      {
        session_id: SAMPLE.sessionId,
        session_pda: SAMPLE.sessionPda,
        session_pubkey: SAMPLE.sessionPubkey,
        api_key: SAMPLE.apiKey,
        txBase64: SAMPLE.txBase64,
      },
    ],
  });

export const rotateKeyAnswer = z.object({ session_id: z.uuid(), api_key: apiKey }).meta({
  description: 'The new key; the old one is refused from now on.',
  examples: [{ session_id: SAMPLE.sessionId, api_key: SAMPLE.apiKey }],
});

/** A transaction for the owner to sign and send. */
export const ownerTransactionAnswer = z.object({ txBase64: unsigned }).meta({
  description: 'The change takes effect once the owner has signed and submitted the transaction.',
  examples: [{ txBase64: SAMPLE.txBase64 }],
});

/** `daily_*` are computed at the time of the response; times are unix seconds unless ISO. */
export const sessionAnswer = z
  .object({
    session_id: z.uuid(),
    session_pda: z.string(),
    wallet_id: z.uuid(),
    session_pubkey: z.string(),
    session_index: z
      .string()
      .regex(/^[0-9]+$/)
      .nullable()
      .describe('Number of the session in its vault (u64); null until it is on chain.'),
    status: z.enum(['awaiting_owner_signature', 'live', 'expired', 'revoked']),
    max_per_tx: amountOut,
    daily_cap: amountOut,
    daily_spent: amountOut,
    daily_remaining: amountOut,
    daily_window_start: z.int().describe('Unix seconds: start of the oldest counted hour.'),
    daily_resets_at: z
      .int()
      .nullable()
      .describe('Unix seconds at which the oldest counted hour drops out; null: no hour counts.'),
    daily_spent_by_hour: z
      .array(z.object({ hour: z.int().describe('Unix seconds of its start.'), amount: amountOut }))
      .describe('The hours that count, oldest first; each drops out 25 hours after its start.'),
    expiry: z.int().describe('Unix seconds.'),
    allowed_recipients: z.array(z.string()),
    allowed_instructions: z.int().describe('1 transfer, 2 yield deposit, 4 yield withdraw.'),
    key_prefix: z.string().nullable().describe('First characters of the live key.'),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'Session',
    description: 'A session by its account on chain and its record.',
    examples: [SAMPLE_SESSION],
  });

export type SessionAnswer = z.infer<typeof sessionAnswer>;

export const sessionListAnswer = z
  .object({ items: z.array(sessionAnswer) })
  .meta({ description: 'Newest first, at most 500.', examples: [{ items: [SAMPLE_SESSION] }] });

export const sessionParams = z.object({ id: z.string().describe('The session_id.') });
