import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

export type Listener = {
  /** Resolves once the connection is closed for good. */
  readonly close: () => Promise<void>;
};

type ListenerOptions = {
  readonly url: string;
  readonly channel: string;
  readonly onNotify: (payload: string) => void;
  /** Called after each (re)connect. Notifications in the gap are lost; the rows are not. */
  readonly onConnected?: () => void;
  /** How often an idle connection is checked, and how long it may take to respond; 10 s. */
  readonly checkEveryMs?: number;
};

const RECONNECT_DELAY_MS = 500;
const CHECK_EVERY_MS = 10_000;
/** A server that says nothing does not confirm the end either. */
const CLOSE_MS = 1_000;

/**
 * Holds one direct connection that LISTENs on `channel` and reconnects for ever. A server that went
 * away without a word is noticed by a query at an interval. Notifications only speed things up: the
 * caller must poll as well.
 */
export function createListener(options: ListenerOptions): Listener {
  const { checkEveryMs = CHECK_EVERY_MS } = options;
  let closed = false;
  let client: Client | null = null;
  let timer: NodeJS.Timeout | null = null;

  const reconnectLater = (): void => {
    if (closed || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      void connect();
    }, RECONNECT_DELAY_MS);
  };

  const connect = async (): Promise<void> => {
    const next = new Client({
      connectionString: options.url,
      keepAlive: true,
      connectionTimeoutMillis: checkEveryMs,
      query_timeout: checkEveryMs,
    });
    client = next;
    let check: NodeJS.Timeout | undefined;
    next.on('error', () => {});
    next.on('end', () => {
      clearInterval(check);
      reconnectLater();
    });
    next.on('notification', (message) => options.onNotify(message.payload ?? ''));
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(options.channel)}`);
      options.onConnected?.();
      // The client waits for the response: its end closes the socket at once.
      check = setInterval(() => void next.query('').catch(() => next.end()), checkEveryMs).unref();
    } catch {
      await next.end().catch(() => {});
      reconnectLater();
    }
  };

  const first = connect();
  return {
    close: async () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await first;
      const ended = client?.end().catch(() => {});
      await Promise.race([ended, delay(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}
