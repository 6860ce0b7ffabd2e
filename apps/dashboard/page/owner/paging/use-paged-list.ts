import { isAgentWalletError, type OwnerClient } from '@agent-wallet/sdk/owner';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useOwner } from '../owner-context.tsx';
import { createPager, type NextItems } from './pager.ts';

const PAGE_SIZE = 50;
/** One page of the API: more than this is not read again by itself. */
const MAX_WATCHED = 200;
const WATCH_MS = 4_000;
const UNAUTHORIZED = 401;

type State<Item> = {
  readonly key: string;
  readonly kind: 'loading' | 'ready' | 'failed';
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly error: unknown;
};

export type PagedList<Item> = Omit<State<Item>, 'key'> & {
  readonly isLoadingMore: boolean;
  readonly loadMore: () => Promise<void>;
  /** Reads what is shown again. */
  readonly refresh: () => Promise<void>;
};

/**
 * A list of the owner's client, 50 items at a time. It begins again when `key` changes, and is read
 * again every few seconds while `isOpen` says that a shown item will change.
 */
export function usePagedList<Item>(
  key: string,
  list: (client: OwnerClient, signal: AbortSignal) => AsyncIterable<Item>,
  isOpen: (item: Item) => boolean,
): PagedList<Item> {
  const { client, expire } = useOwner();
  const latest = useRef(list);
  latest.current = list;
  const shown = useRef(0);
  const reading = useRef<AbortController | undefined>(undefined);
  const next = useRef<() => Promise<NextItems<Item>>>(undefined);
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [state, setState] = useState<State<Item>>({
    key,
    kind: 'loading',
    items: [],
    hasMore: false,
    error: undefined,
  });

  const failed = useCallback(
    (error: unknown) => {
      if (isAgentWalletError(error) && error.status === UNAUTHORIZED) expire();
      else setState((last) => ({ ...last, key, kind: 'failed', error }));
    },
    [expire, key],
  );

  const read = useCallback(
    async (count: number) => {
      reading.current?.abort();
      const mine = new AbortController();
      reading.current = mine;
      try {
        const pager = createPager(latest.current(client, mine.signal));
        const found = await pager(count);
        if (mine.signal.aborted) return;
        next.current = () => pager(PAGE_SIZE);
        shown.current = found.items.length;
        setState({ key, kind: 'ready', ...found, error: undefined });
      } catch (error) {
        if (!mine.signal.aborted) failed(error);
      }
    },
    [client, failed, key],
  );
  const refresh = useCallback(async () => read(Math.max(PAGE_SIZE, shown.current)), [read]);

  const loadMore = useCallback(async () => {
    const mine = reading.current;
    if (next.current === undefined || mine === undefined) return;
    setLoadingMore(true);
    try {
      const { items, hasMore } = await next.current();
      if (mine.signal.aborted) return;
      shown.current += items.length;
      setState((last) => ({ ...last, items: [...last.items, ...items], hasMore }));
    } catch (error) {
      if (!mine.signal.aborted) failed(error);
    } finally {
      setLoadingMore(false);
    }
  }, [failed]);

  useEffect(() => {
    shown.current = 0;
    void read(PAGE_SIZE);
    return () => reading.current?.abort();
  }, [read]);

  const isWatched =
    state.kind === 'ready' &&
    !isLoadingMore &&
    state.items.length <= MAX_WATCHED &&
    state.items.some(isOpen);
  useEffect(() => {
    if (!isWatched) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh();
    }, WATCH_MS);
    return () => clearInterval(timer);
  }, [isWatched, refresh]);

  const current =
    state.key === key
      ? state
      : { kind: 'loading' as const, items: [], hasMore: false, error: undefined };
  const { kind, items, hasMore, error } = current;
  return { kind, items, hasMore, error, isLoadingMore, loadMore, refresh };
}
