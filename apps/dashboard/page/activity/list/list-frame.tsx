import type { ComponentChildren } from 'preact';
import { Button } from '../../design/controls/button.tsx';
import { LoadError } from '../../design/feedback/load-error.tsx';
import { SkeletonRows } from '../../design/feedback/skeleton.tsx';
import type { PagedList } from '../../owner/paging/use-paged-list.ts';
import './list-frame.css';

const LOADING_ROWS = 6;

/** A list with what stands around it: how much is shown, what to do with it, and its other states. */
export function ListFrame<Item>({
  list,
  what,
  actions,
  empty,
  children,
}: {
  readonly list: PagedList<Item>;
  /** What is listed: `spends`. */
  readonly what: string;
  readonly actions: ComponentChildren;
  readonly empty: ComponentChildren;
  /** The table of the items. */
  readonly children: ComponentChildren;
}) {
  const { kind, items, hasMore, isLoadingMore, loadMore } = list;
  return (
    <div class="list-frame">
      <div class="list-frame-head">
        <p class="soft" role="status">
          {kind === 'ready' ? countText(items.length, hasMore) : ''}
        </p>
        {items.length === 0 ? null : actions}
      </div>
      {kind === 'failed' ? <LoadError loaded={list} what={`the ${what}`} /> : null}
      {kind === 'loading' ? <SkeletonRows count={LOADING_ROWS} height="3.25rem" /> : null}
      {kind === 'ready' && items.length === 0 ? empty : null}
      {items.length === 0 ? null : children}
      {hasMore && items.length > 0 ? (
        <div class="list-frame-more">
          <Button isBusy={isLoadingMore} onClick={() => void loadMore()}>
            Load more
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function countText(count: number, hasMore: boolean): string {
  if (count === 0) return '';
  if (hasMore) return `The newest ${count}`;
  return count === 1 ? '1 row' : `All ${count} rows`;
}
