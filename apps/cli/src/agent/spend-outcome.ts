import { formatUsdc, type Spend } from '@agent-wallet/sdk';
import { EXIT } from '../cli-error.ts';
import type { Outcome } from '../command-line/outcome.ts';
import { listOf } from '../terminal/table.ts';

/** A spend and what became of it. */
export function spendOutcome(spend: Spend): Outcome {
  const text = listOf(entriesOf(spend));
  switch (spend.status) {
    case 'confirmed':
      return { exitCode: EXIT.done, text, json: spend };
    case 'rejected':
      return { exitCode: EXIT.refused, text, json: spend };
    case 'pending': {
      const look = `The outcome is not known yet: look again with "agent-wallet agent spend ${spend.spend_id}", and do not pay again before.`;
      return { exitCode: EXIT.pending, text: `${text}\n${look}`, json: spend };
    }
  }
}

function entriesOf(spend: Spend): readonly (readonly [string, string])[] {
  const { tx_signature, code, detail, upstream } = spend;
  return [
    ['spend', spend.spend_id],
    ['status', `${spend.status}${spend.finalized ? ', finalized' : ''}`],
    [spend.kind, `${formatUsdc(spend.amount)} USDC`],
    ...entry('to', spend.recipient_or_url),
    ...entry('transaction', tx_signature),
    ...entry('refused', code),
    ...entry('detail', detail),
    ...entry('delivery', upstream?.delivery ?? null),
  ];
}

const entry = (name: string, value: string | null): readonly (readonly [string, string])[] =>
  value === null ? [] : [[name, value]];
