import { useEffect, useState } from 'preact/hooks';
import { useOwner } from '../../owner/owner-context.tsx';

type Check =
  | { readonly kind: 'idle' | 'checking' | 'unknown' }
  | { readonly kind: 'checked'; readonly count: number; readonly missing: readonly string[] };

/** The pause after the last key press before the accounts are looked up. */
const PAUSE_MS = 400;
const TIMEOUT_MS = 10_000;

/** Which of these wallets have no USDC account, by the RPC node; `unknown` where it does not say. */
export function useMissingAccounts(recipients: readonly string[]): Check {
  const { client } = useOwner();
  const [check, setCheck] = useState<Check>({ kind: 'idle' });
  const key = recipients.join(' ');
  useEffect(() => {
    const asked = key === '' ? [] : key.split(' ');
    if (asked.length === 0) {
      setCheck({ kind: 'idle' });
      return undefined;
    }
    setCheck({ kind: 'checking' });
    const stop = new AbortController();
    const look = async () => {
      const limits = { signal: stop.signal, timeoutMs: TIMEOUT_MS };
      const found = await client.recipientsWithoutAccount(asked, limits).then(
        (missing): Check => ({ kind: 'checked', count: asked.length, missing }),
        (): Check => ({ kind: 'unknown' }),
      );
      if (!stop.signal.aborted) setCheck(found);
    };
    const timer = setTimeout(() => void look(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, key]);
  return check;
}
