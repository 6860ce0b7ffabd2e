import type { WebhookDelivery } from '@agent-wallet/sdk/owner';
import { Moment } from '../design/content/moment.tsx';
import { usePagedList } from '../owner/paging/use-paged-list.ts';
import { StatusBadge } from '../design/content/status-badge.tsx';
import { type Column, Table } from '../design/content/table.tsx';
import { Time } from '../design/content/time.tsx';
import { Button } from '../design/controls/button.tsx';
import { LoadError } from '../design/feedback/load-error.tsx';
import { SkeletonRows } from '../design/feedback/skeleton.tsx';
import { eventName } from './event-names.ts';

const STATES = {
  pending: ['warning', 'Pending'],
  delivered: ['positive', 'Delivered'],
  failed: ['danger', 'Failed'],
} as const;

const FAULTS: Readonly<Record<NonNullable<WebhookDelivery['last_fault']>, string>> = {
  unreachable: 'Could not be reached',
  tls: 'Its certificate was not accepted',
  timeout: 'Did not answer in time',
  bad_answer: 'Its answer could not be read',
  secret_unreadable: 'The secret could not be read: rotate it',
};

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { heading: 'When', cell: ({ created_at }) => <Moment at={created_at} /> },
  { heading: 'Event', cell: ({ type }) => eventName(type) },
  {
    heading: 'State',
    cell: ({ state }) => {
      const [kind, name] = STATES[state];
      return <StatusBadge kind={kind}>{name}</StatusBadge>;
    },
  },
  { heading: 'Last answer', cell: (delivery) => lastAnswer(delivery) },
  { heading: 'Tries', isNumeric: true, cell: ({ tries }) => tries },
  {
    heading: 'Next try',
    cell: ({ next_try_at }) => (next_try_at === null ? null : <Time at={new Date(next_try_at)} />),
  },
];

function lastAnswer({ last_status, last_fault }: WebhookDelivery): string {
  if (last_status !== null) return `HTTP ${last_status}`;
  return last_fault === null ? '—' : FAULTS[last_fault];
}

/** What was sent to one webhook, newest first, read again while something is pending. */
export const DeliveryLog = ({ webhookId }: { readonly webhookId: string }) => {
  const list = usePagedList(
    webhookId,
    (client, signal) => client.webhooks.deliveries(webhookId, {}, { signal }),
    ({ state }) => state === 'pending',
  );
  const { kind, items, hasMore, isLoadingMore, loadMore } = list;
  return (
    <section class="delivery-log" aria-label="Deliveries">
      <h3>Deliveries</h3>
      {kind === 'failed' ? <LoadError loaded={list} what="the deliveries" /> : null}
      {kind === 'loading' ? <SkeletonRows count={2} /> : null}
      {kind === 'ready' && items.length === 0 ? <p class="soft">Nothing was sent yet.</p> : null}
      {items.length === 0 ? null : (
        <Table
          caption="Deliveries, newest first"
          columns={COLUMNS}
          rows={items}
          keyOf={({ delivery_id }) => delivery_id}
        />
      )}
      {hasMore ? (
        <Button isBusy={isLoadingMore} onClick={() => void loadMore()}>
          Load more
        </Button>
      ) : null}
    </section>
  );
};
