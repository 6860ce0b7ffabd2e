import type { RequestListener } from 'node:http';
import {
  openServiceHost,
  routeByName,
  type Sell,
} from '@agent-wallet/local-system/paid-services/service-host.ts';

/** Several services on one origin, each under its own path. */
export type ServiceStreet = AsyncDisposable & {
  readonly origin: string;
  /** Opens or replaces a service and returns its base URL. */
  open(name: string, listener: RequestListener): string;
};

/** Requests to an unknown name return 404. */
export async function openServiceStreet(): Promise<ServiceStreet> {
  const host = await openServiceHost();
  const listeners = new Map<string, RequestListener>();
  host.serve(routeByName((name) => listeners.get(name)));
  return {
    origin: host.origin,
    open: (name, listener) => {
      listeners.set(name, listener);
      return `${host.origin}/${name}`;
    },
    [Symbol.asyncDispose]: () => host.stop(),
  };
}

/** The goods that a service has sold, in order, and its next status. */
export type Counter = {
  readonly sell: Sell;
  readonly sold: readonly string[];
  /** Status of the next sale; 200 at first. */
  status: number;
  /** Awaited before each sale. */
  before: (() => Promise<void>) | undefined;
};

/** Sells numbered replies. */
export function createCounter(): Counter {
  const sold: string[] = [];
  const counter: Counter = {
    sold,
    status: 200,
    before: undefined,
    sell: async ({ method, url }) => {
      await counter.before?.();
      sold.push(`${method} ${url}`);
      return { status: counter.status, body: { answer: sold.length } };
    },
  };
  return counter;
}
