import { z } from 'zod';
import { decimalAmount } from '../fields/amount.ts';
import { pageQuery } from '../fields/page.ts';
import { SAMPLE } from '../fields/samples.ts';
import { spendId } from '../agent/spend.ts';

export const auditQuery = z.object({
  decision: z.enum(['allow', 'deny'], { error: 'must be allow or deny' }).optional(),
  session_id: z.uuid({ error: 'must be a uuid' }).optional().describe('Only rows of this session.'),
  ...pageQuery,
});

export const auditItem = z
  .object({
    id: z.uuid(),
    wallet_id: z.uuid(),
    session_id: z.uuid().nullable().describe("Null for the owner's own program calls."),
    spend_id: spendId.nullable().describe('Null for a request that never became a spend.'),
    correction: z.int().describe('0 is the decision; 1, 2 … are corrections after a fork.'),
    action: z.string().describe("The kind of spend, or the name of an owner's instruction."),
    amount: decimalAmount.nullable(),
    recipient: z.string().nullable(),
    recipient_or_url: z.string().nullable(),
    decision: z.enum(['allow', 'deny']),
    reason: z.string().nullable().describe('The reason of a deny row or a correction.'),
    detail: z.string().nullable(),
    tx_signature: z
      .string()
      .nullable()
      .describe('Signature of the landed transaction of an allow row.'),
    detail_signature: z
      .string()
      .nullable()
      .describe('Signature of a transaction that landed and failed.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'AuditItem', description: 'One decision.' });

/** Newest first. `next_cursor` is null on the last page. */
export const auditAnswer = z
  .object({ items: z.array(auditItem), next_cursor: z.string().nullable() })
  .meta({
    description: 'A page of the log, newest first; next_cursor is null on the last one.',
    examples: [
      {
        items: [
          {
            id: SAMPLE.auditId,
            wallet_id: SAMPLE.walletId,
            session_id: SAMPLE.sessionId,
            spend_id: SAMPLE.spendId,
            correction: 0,
            action: 'transfer',
            amount: '250000',
            recipient: SAMPLE.recipient,
            recipient_or_url: SAMPLE.recipient,
            decision: 'allow',
            reason: null,
            detail: null,
            tx_signature: SAMPLE.signature,
            detail_signature: null,
            created_at: SAMPLE.iso,
          },
        ],
        next_cursor: 'YTEuNDI',
      },
    ],
  });
