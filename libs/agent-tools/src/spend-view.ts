import { errorRowOf, isRefusalName } from '@agent-wallet/contract';
import { formatUsdc, type ListedSpend, type Spend } from '@agent-wallet/sdk';
import { z } from 'zod';
import { amountOut } from './fields.ts';
import { describeRefusal, type Refusal, refusalSchema } from './refusal/refusal.ts';

/** A spend as tools show it. */
export const spendView = z.object({
  spend_id: z.string(),
  kind: z.string(),
  status: z
    .enum(['pending', 'confirmed', 'rejected'])
    .describe('pending: the outcome is not known yet. rejected: no money moved.'),
  amount: amountOut,
  recipient_or_url: z.string().nullable(),
  tx_signature: z.string().nullable().describe('Of the transaction on Solana.'),
  accepted_at: z
    .string()
    .describe(
      'ISO 8601. A time before this call: the request_id was used then, and not paid again.',
    ),
  rejected_because: refusalSchema.nullable(),
});

export type SpendView = z.output<typeof spendView>;

export function viewSpend(spend: Spend | ListedSpend): SpendView {
  const { spend_id, kind, status, amount, recipient_or_url, tx_signature, created_at } = spend;
  return {
    spend_id,
    kind,
    status,
    amount: formatUsdc(amount),
    recipient_or_url,
    tx_signature,
    accepted_at: created_at,
    rejected_because: status === 'rejected' ? whyRejected(spend) : null,
  };
}

/** The row of a rejected spend has its code, but not what the caller can do. */
function whyRejected({ spend_id, error, code, detail }: Spend | ListedSpend): Refusal {
  const name = code ?? 'PROGRAM';
  const row = errorRowOf(isRefusalName(name) ? name : 'PROGRAM');
  return describeRefusal({
    code: name,
    error: error ?? 'rejected',
    retryable: row.retryable ?? false,
    remedy: row.remedy ?? null,
    detail,
    details: { spend_id },
  });
}
