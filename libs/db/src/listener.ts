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
};

const RECONNECT_DELAY_MS = 500;

/**
 * Holds one direct connection that LISTENs on `channel` and reconnects for ever. Notifications only
 * speed things up: the caller must poll as well.
 */
export function createListener(options: ListenerOptions): Listener {
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
    const next = new Client({ connectionString: options.url, keepAlive: true });
    client = next;
    next.on('error', () => {});
    next.on('end', reconnectLater);
    next.on('notification', (message) => options.onNotify(message.payload ?? ''));
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(options.channel)}`);
      options.onConnected?.();
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
      await client?.end().catch(() => {});
    },
  };
}
