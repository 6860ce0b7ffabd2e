import { isAgentWalletError, type OwnerClient } from '@agent-wallet/sdk/owner';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useOwner } from './owner-context.tsx';

const UNAUTHORIZED = 401;

/** What a view loads. While `failed` or loading again, `value` is the last one, if there is one. */
export type Loaded<Value> = {
  readonly kind: 'loading' | 'ready' | 'failed';
  readonly value: Value | undefined;
  /** Why the last load failed. */
  readonly error: unknown;
  /** Loads again and resolves afterwards; the value stays in place meanwhile. */
  readonly refresh: () => Promise<void>;
};

/**
 * Loads with the owner's client: at first, when `key` changes, on `refresh`, and every `everyMs`
 * while the page is visible, then also when the page gets the focus. A cookie that is no longer valid leads back to the sign-in.
 */
export function useLoad<Value>(
  key: string,
  load: (client: OwnerClient, signal: AbortSignal) => Promise<Value>,
  { everyMs }: { readonly everyMs?: number } = {},
): Loaded<Value> {
  const { client, expire } = useOwner();
  const latest = useRef(load);
  latest.current = load;
  const [state, setState] = useState<Omit<Loaded<Value>, 'refresh'> & { readonly key: string }>({
    key,
    kind: 'loading',
    value: undefined,
    error: undefined,
  });
  const controller = useRef<AbortController | undefined>(undefined);

  const refresh = useCallback(async () => {
    controller.current?.abort();
    const mine = new AbortController();
    controller.current = mine;
    try {
      const value = await latest.current(client, mine.signal);
      if (!mine.signal.aborted) setState({ key, kind: 'ready', value, error: undefined });
    } catch (error) {
      if (mine.signal.aborted) return;
      if (isAgentWalletError(error) && error.status === UNAUTHORIZED) expire();
      else {
        setState((last) => {
          const value = last.key === key ? last.value : undefined;
          return { key, kind: 'failed', value, error };
        });
      }
    } finally {
      if (controller.current === mine) controller.current = undefined;
    }
  }, [client, expire, key]);

  useEffect(() => {
    void refresh();
    return () => controller.current?.abort();
  }, [refresh]);

  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const refreshIfVisible = () => {
      // Not while one is under way: a slow service would never be seen to fail.
      const isIdle = controller.current === undefined;
      if (document.visibilityState === 'visible' && isIdle) void refresh();
    };
    const timer = setInterval(refreshIfVisible, everyMs);
    // Another tab may have changed what this one shows.
    addEventListener('focus', refreshIfVisible);
    document.addEventListener('visibilitychange', refreshIfVisible);
    return () => {
      clearInterval(timer);
      removeEventListener('focus', refreshIfVisible);
      document.removeEventListener('visibilitychange', refreshIfVisible);
    };
  }, [everyMs, refresh]);

  if (state.key !== key) return { kind: 'loading', value: undefined, error: undefined, refresh };
  return { kind: state.kind, value: state.value, error: state.error, refresh };
}
