import { z } from 'zod';
import { address } from './address.ts';
import { amountIn, amountOut } from './amount.ts';

export const spendKind = z.enum([
  'transfer',
  'sign_payment',
  'pay_service',
  'yield_deposit',
  'yield_withdraw',
]);

export const transferBody = z.object(
  { recipient: address, amount: amountIn },
  { error: 'must be a JSON object' },
);

const URL_FAULT = 'must be an https URL of at most 2048 characters';
const MAX_URL_CHARS = 2_048;

/** What an agent pays by itself: `url` is the service that it will ask with the proof. */
export const signPaymentBody = z.object(
  {
    url: z
      .string({ error: URL_FAULT })
      .max(MAX_URL_CHARS, { error: URL_FAULT })
      .refine((text) => URL.parse(text)?.protocol === 'https:', { error: URL_FAULT }),
    recipient: address,
    amount: amountIn,
  },
  { error: 'must be a JSON object' },
);

/**
 * Ids of spends have the form of a uuid; one that follows from an Idempotency-Key is a hash, without
 * the version bits that a strict uuid check asks for.
 */
export const spendId = z.guid();

export const transferAnswer = z.object({
  tx_signature: z.string(),
  status: z.literal('confirmed'),
  spend_id: spendId,
});

/** `payment_proof_header` goes into the header `X-Payment-Proof` of the agent's own request. */
export const signPaymentAnswer = z.object({
  tx_signature: z.string(),
  payment_proof_header: z.string(),
  spend_id: spendId,
});

/** 202: the outcome is not known yet; `GET /v1/spend/:id` tells the rest. */
export const pendingAnswer = z.object({
  spend_id: spendId,
  status: z.literal('pending'),
  tx_signature: z.string().nullable(),
});

/** Queued and in flight read `pending`, reverted reads `rejected`. */
export const spendAnswer = z.object({
  spend_id: spendId,
  kind: spendKind,
  status: z.enum(['pending', 'confirmed', 'rejected']),
  finalized: z.boolean(),
  amount: amountOut,
  recipient_or_url: z.string().nullable(),
  tx_signature: z.string().nullable(),
  error: z.string().nullable(),
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
});

export type SpendAnswer = z.infer<typeof spendAnswer>;
