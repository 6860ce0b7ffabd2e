import type { RequestListener } from 'node:http';
import {
  openServiceHost,
  routeByName,
  type Sell,
} from '@agent-wallet/local-system/paid-services/service-host.ts';

/** Several services on one origin, each below a path of its own. */
export type ServiceStreet = AsyncDisposable & {
  readonly origin: string;
  /** Opens a service, or another one in its place; its base URL. */
  open(name: string, listener: RequestListener): string;
};

/** Requests to a name at which nothing is open are answered with 404. */
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

/** What a service sold, in order, and what it sells next. */
export type Counter = {
  readonly sell: Sell;
  readonly sold: readonly string[];
  /** Status of what is sold next; 200 at first. */
  status: number;
  /** Awaited before anything is sold. */
  before: (() => Promise<void>) | undefined;
};

/** Sells numbered answers. */
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
