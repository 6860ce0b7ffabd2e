import { z } from 'zod';
import { decimalAmount } from './amount.ts';
import { spendId } from './spend.ts';

const LIMIT_FAULT = 'must be an integer from 1 to 200';

export const auditQuery = z.object({
  decision: z.enum(['allow', 'deny'], { error: 'must be allow or deny' }).optional(),
  session_id: z.uuid({ error: 'must be a uuid' }).optional(),
  cursor: z.string({ error: 'must be a string' }).optional(),
  limit: z
    .string({ error: LIMIT_FAULT })
    .regex(/^(?:[1-9][0-9]?|1[0-9]{2}|200)$/, { error: LIMIT_FAULT })
    .default('50')
    .transform(Number),
});

export const auditItem = z.object({
  id: z.uuid(),
  wallet_id: z.uuid(),
  session_id: z.uuid().nullable(),
  spend_id: spendId.nullable(),
  correction: z.int(),
  action: z.string(),
  amount: decimalAmount.nullable(),
  recipient: z.string().nullable(),
  recipient_or_url: z.string().nullable(),
  decision: z.enum(['allow', 'deny']),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  tx_signature: z.string().nullable(),
  detail_signature: z.string().nullable(),
  created_at: z.iso.datetime(),
});

/** Newest first. `next_cursor` is null on the last page. */
export const auditAnswer = z.object({
  items: z.array(auditItem),
  next_cursor: z.string().nullable(),
});
