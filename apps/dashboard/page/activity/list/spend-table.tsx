import type { ListedSpend } from '@agent-wallet/sdk/owner';
import { Amount } from '../../design/content/amount.tsx';
import { type Column, Table } from '../../design/content/table.tsx';
import { KIND_NAMES, STATUS_NAMES } from './names.ts';
import { Moment } from '../../design/content/moment.tsx';
import { Outcome } from './outcome.tsx';
import { Target } from './target.tsx';
import { TransactionLink } from './transaction-link.tsx';

const BADGE = { pending: 'warning', confirmed: 'positive', rejected: 'danger' } as const;

/** What agents have spent, tried to spend or are spending. */
export const SpendTable = ({
  spends,
  nameOf,
}: {
  readonly spends: readonly ListedSpend[];
  /** The name of a session by its id. */
  readonly nameOf: (sessionId: string) => string;
}) => {
  const columns: readonly Column<ListedSpend>[] = [
    { heading: 'When', cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      heading: 'What',
      cell: ({ kind, recipient_or_url, session_id }) => (
        <Target
          action={KIND_NAMES[kind]}
          recipientOrUrl={recipient_or_url}
          session={nameOf(session_id)}
        />
      ),
    },
    { heading: 'Amount', isNumeric: true, cell: ({ amount }) => <Amount baseUnits={amount} /> },
    {
      heading: 'Outcome',
      cell: ({ status, code, detail }) => (
        <Outcome kind={BADGE[status]} name={STATUS_NAMES[status]} code={code} detail={detail} />
      ),
    },
    {
      heading: 'Transaction',
      cell: ({ tx_signature }) => <TransactionLink signature={tx_signature} />,
    },
  ];
  return (
    <Table
      caption="Spends, newest first"
      columns={columns}
      rows={spends}
      keyOf={({ spend_id }) => spend_id}
    />
  );
};
