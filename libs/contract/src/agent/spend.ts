import { z } from 'zod';
import { address } from '../fields/address.ts';
import { amountIn, amountOut } from '../fields/amount.ts';
import { pageQuery } from '../fields/page.ts';
import { SAMPLE } from '../fields/samples.ts';

export const spendKind = z.enum([
  'transfer',
  'sign_payment',
  'pay_service',
  'yield_deposit',
  'yield_withdraw',
]);

export const transferBody = z
  .object({ recipient: address, amount: amountIn }, { error: 'must be a JSON object' })
  .meta({ examples: [{ recipient: SAMPLE.recipient, amount: 250_000 }] });

const URL_FAULT = 'must be an https URL of at most 2048 characters';
const MAX_URL_CHARS = 2_048;

const MEMO_FAULT = 'must be a text of 1 to 256 bytes, without NUL';
const MAX_MEMO_BYTES = 256;

/** Of a standard x402 offer: who pays the network fee and sends the transaction. */
const facilitator = z
  .object(
    {
      fee_payer: address.meta({ description: 'extra.feePayer of the offer.' }),
      memo: z
        .string({ error: MEMO_FAULT })
        .refine(isMemo, { error: MEMO_FAULT })
        .optional()
        .meta({ description: 'extra.memo of the offer; without it, the spend_id is the memo.' }),
    },
    { error: 'must be an object with fee_payer' },
  )
  .meta({
    description:
      'The facilitator of a standard x402 offer. With it, the transaction is signed and returned instead of sent.',
  });

/** Postgres stores neither NUL nor half of a surrogate pair. */
function isMemo(text: string): boolean {
  const bytes = new TextEncoder().encode(text).length;
  return bytes >= 1 && bytes <= MAX_MEMO_BYTES && text.isWellFormed() && !text.includes('\0');
}

/**
 * A payment that the agent delivers itself: `url` is the service that gets the proof, or with
 * `facilitator` the transaction.
 */
export const signPaymentBody = z
  .object(
    {
      url: z
        .string({ error: URL_FAULT })
        .max(MAX_URL_CHARS, { error: URL_FAULT })
        .refine((text) => URL.parse(text)?.protocol === 'https:', { error: URL_FAULT })
        .meta({ description: 'The https URL to which the agent will send the proof.' }),
      recipient: address,
      amount: amountIn,
      facilitator: facilitator.optional(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({
    examples: [
      { url: 'https://api.example.com/v1/data', recipient: SAMPLE.recipient, amount: 20_000 },
    ],
  });

/**
 * Ids of spends have the form of a uuid. An id derived from an Idempotency-Key is a hash, without
 * the version bits that a strict uuid check requires.
 */
export const spendId = z.guid();

export const transferAnswer = z
  .object({ tx_signature: z.string(), status: z.literal('confirmed'), spend_id: spendId })
  .meta({
    description: 'Confirmed on chain.',
    examples: [{ tx_signature: SAMPLE.signature, status: 'confirmed', spend_id: SAMPLE.spendId }],
  });

/** `payment_proof_header` goes into the header `X-Payment-Proof` of the agent's own request. */
export const signPaymentAnswer = z
  .object({ tx_signature: z.string(), payment_proof_header: z.string(), spend_id: spendId })
  .meta({
    description: 'Paid: repeat the request to the service with the header X-Payment-Proof.',
    examples: [
      {
        tx_signature: SAMPLE.signature,
        payment_proof_header: SAMPLE.signature,
        spend_id: SAMPLE.spendId,
      },
    ],
  });

/** 202: the outcome is not known yet; `GET /v1/spend/:id` returns it later. */
export const pendingAnswer = z
  .object({
    spend_id: spendId,
    status: z.literal('pending'),
    tx_signature: z.string().nullable(),
  })
  .meta({
    description: 'Accepted; the outcome is not known yet. Poll the URL in Location.',
    examples: [{ spend_id: SAMPLE.spendId, status: 'pending', tx_signature: null }],
  });

/**
 * 202 of a payment for a service. `transaction` is there for a payment with `facilitator` once it is
 * signed: base64, with the session key's signature and zeros in place of the fee payer's.
 */
export const signPaymentPendingAnswer = pendingAnswer
  .extend({
    transaction: z
      .string()
      .optional()
      .describe('With facilitator: the signed transaction, base64, for payload.transaction.'),
  })
  .meta({
    description:
      'Accepted; the outcome is not known yet. With facilitator: give the transaction to the service in PAYMENT-SIGNATURE.',
    examples: [
      {
        spend_id: SAMPLE.spendId,
        status: 'pending',
        tx_signature: null,
        transaction: SAMPLE.txBase64,
      },
    ],
  });

/** The states queued and in flight read `pending`; reverted reads `rejected`. */
export const spendAnswer = z
  .object({
    spend_id: spendId,
    kind: spendKind,
    status: z.enum(['pending', 'confirmed', 'rejected']),
    finalized: z.boolean().describe('Whether the chain can no longer undo it.'),
    amount: amountOut,
    recipient_or_url: z.string().nullable(),
    tx_signature: z.string().nullable(),
    error: z.string().nullable().describe('The `error` of the refusal, for a rejected spend.'),
    code: z.string().nullable(),
    detail: z.string().nullable(),
    payment_proof_header: z.string().nullable(),
    upstream: z
      .object({
        status: z.int().nullable(),
        body: z.string().nullable(),
        delivery: z.enum(['waiting', 'delivering', 'delivered', 'paid_not_delivered']),
      })
      .nullable(),
    created_at: z.iso.datetime(),
    settled_at: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'Spend',
    description: 'The request and its outcome.',
    examples: [
      {
        spend_id: SAMPLE.spendId,
        kind: 'transfer',
        status: 'confirmed',
        finalized: true,
        amount: 250_000,
        recipient_or_url: SAMPLE.recipient,
        tx_signature: SAMPLE.signature,
        error: null,
        code: null,
        detail: null,
        payment_proof_header: null,
        upstream: null,
        created_at: SAMPLE.iso,
        settled_at: SAMPLE.iso,
      },
    ],
  });

/** A spend in a list. What a service answered and proofs of payment are with the spend itself. */
const spendItem = spendAnswer
  .omit({ payment_proof_header: true, upstream: true })
  .extend({ session_id: z.uuid() })
  .meta({ id: 'SpendItem', description: 'A spend in a list.' });

const ofEnum = (names: readonly string[]): string => `must be one of ${names.join(', ')}`;
const STATUSES = ['pending', 'confirmed', 'rejected'] as const;

/** The filters of a list of spends. `from` and `to` apply to the time of acceptance. */
export const spendsQuery = z.object({
  session_id: z
    .uuid({ error: 'must be a uuid' })
    .optional()
    .describe('Only spends of this session.'),
  status: z.enum(STATUSES, { error: ofEnum(STATUSES) }).optional(),
  kind: z.enum(spendKind.options, { error: ofEnum(spendKind.options) }).optional(),
  ...pageQuery,
});

/** Newest first. `next_cursor` is null on the last page. */
export const spendsAnswer = z
  .object({ items: z.array(spendItem), next_cursor: z.string().nullable() })
  .meta({
    description: 'A page of spends, newest first; next_cursor is null on the last one.',
    examples: [
      {
        items: [
          {
            spend_id: SAMPLE.spendId,
            session_id: SAMPLE.sessionId,
            kind: 'transfer',
            status: 'pending',
            finalized: false,
            amount: 250_000,
            recipient_or_url: SAMPLE.recipient,
            tx_signature: null,
            error: null,
            code: null,
            detail: null,
            created_at: SAMPLE.iso,
            settled_at: null,
          },
        ],
        next_cursor: 'czEuMDE5MGY1YTQtN2QzYy04ZTIxLWE2YjQtMmY5YzBkMWUzYTU3',
      },
    ],
  });

export type SpendAnswer = z.infer<typeof spendAnswer>;

export const spendParams = z.object({ id: z.string().describe('The spend_id.') });
