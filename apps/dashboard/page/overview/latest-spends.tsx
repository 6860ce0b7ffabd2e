import type { ListedSpend, OwnerClient } from '@agent-wallet/sdk/owner';
import { Amount } from '../design/content/amount.tsx';
import { Card } from '../design/content/card.tsx';
import { EmptyState } from '../design/content/empty-state.tsx';
import { StatusBadge } from '../design/content/status-badge.tsx';
import { type Column, Table } from '../design/content/table.tsx';
import { Time } from '../design/content/time.tsx';
import { shortAddress } from '../design/controls/copyable.tsx';
import { LoadError } from '../design/feedback/load-error.tsx';
import { SkeletonRows } from '../design/feedback/skeleton.tsx';
import { useLoad } from '../owner/use-load.ts';
import { ROUTES } from '../routes.ts';

const REFRESH_MS = 5_000;
const SHOWN = 6;

const STATUS = { confirmed: 'positive', pending: 'neutral', rejected: 'danger' } as const;

const COLUMNS: readonly Column<ListedSpend>[] = [
  { heading: 'When', cell: ({ created_at }) => <Time at={new Date(created_at)} /> },
  { heading: 'To', cell: ({ recipient_or_url }) => <Payee name={recipient_or_url} /> },
  {
    heading: 'Outcome',
    cell: ({ status }) => <StatusBadge kind={STATUS[status]}>{status}</StatusBadge>,
  },
  { heading: 'Amount', cell: ({ amount }) => <Amount baseUnits={amount} />, isNumeric: true },
];

const Payee = ({ name }: { readonly name: string | null }) => {
  if (name === null) return <>Yield reserve</>;
  return name.startsWith('https:') ? (
    <span title={name}>{new URL(name).host}</span>
  ) : (
    <code title={name}>{shortAddress(name)}</code>
  );
};

/** What agents spent last, and what was refused after it was accepted. */
export const LatestSpends = () => {
  const loaded = useLoad('latest spends', readLatest, { everyMs: REFRESH_MS });
  const { value } = loaded;
  return (
    <Card title="Latest spends" actions={<a href={ROUTES.activity}>All spends</a>}>
      {value === undefined ? (
        loaded.kind === 'failed' ? (
          <LoadError loaded={loaded} what="the spends" />
        ) : (
          <SkeletonRows count={3} />
        )
      ) : value.length === 0 ? (
        <EmptyState title="No spends yet.">
          Payments of your agents appear here within seconds.
        </EmptyState>
      ) : (
        <Table
          caption="Latest spends"
          columns={COLUMNS}
          rows={value}
          keyOf={({ spend_id }) => spend_id}
        />
      )}
    </Card>
  );
};

async function readLatest(
  client: OwnerClient,
  signal: AbortSignal,
): Promise<readonly ListedSpend[]> {
  const found: ListedSpend[] = [];
  for await (const spend of client.spends({}, { signal })) {
    found.push(spend);
    if (found.length === SHOWN) break;
  }
  return found;
}
