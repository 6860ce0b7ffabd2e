import type { AuditItem } from '@agent-wallet/sdk/owner';
import { Amount } from '../../design/content/amount.tsx';
import { type Column, Table } from '../../design/content/table.tsx';
import { actionName, DECISION_NAMES, isUsdc } from './names.ts';
import { Moment } from '../../design/content/moment.tsx';
import { Outcome } from './outcome.tsx';
import { Target } from './target.tsx';
import { TransactionLink } from './transaction-link.tsx';

/** The log: each decision about a spend, its corrections, and what the owner did on chain. */
export const DecisionTable = ({
  decisions,
  nameOf,
}: {
  readonly decisions: readonly AuditItem[];
  /** The name of a session by its id. */
  readonly nameOf: (sessionId: string) => string;
}) => {
  const columns: readonly Column<AuditItem>[] = [
    { heading: 'When', cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      heading: 'What',
      cell: ({ action, recipient_or_url, session_id }) => (
        <Target
          action={actionName(action)}
          recipientOrUrl={recipient_or_url}
          session={session_id === null ? null : nameOf(session_id)}
        />
      ),
    },
    {
      heading: 'Amount',
      isNumeric: true,
      cell: ({ action, amount }) =>
        amount === null || !isUsdc(action) ? null : <Amount baseUnits={amount} />,
    },
    {
      heading: 'Decision',
      cell: ({ decision, reason, detail, correction, session_id }) => (
        <Outcome
          kind={decision === 'allow' ? (session_id === null ? 'neutral' : 'positive') : 'danger'}
          name={decisionName(decision, correction, session_id === null)}
          code={reason}
          detail={detail}
        />
      ),
    },
    {
      heading: 'Transaction',
      cell: ({ tx_signature, detail_signature }) => (
        <TransactionLink
          signature={tx_signature ?? detail_signature}
          hasFailed={tx_signature === null}
        />
      ),
    },
  ];
  return (
    <Table
      caption="Decisions, newest first"
      columns={columns}
      rows={decisions}
      keyOf={({ id }) => id}
    />
  );
};

/** An owner's own instruction was not decided by anybody: it happened. */
function decisionName(decision: 'allow' | 'deny', correction: number, isOwner: boolean): string {
  if (correction > 0) return `Corrected: ${DECISION_NAMES[decision].toLowerCase()}`;
  return isOwner ? 'Done' : DECISION_NAMES[decision];
}
