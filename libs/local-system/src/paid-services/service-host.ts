import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { pickFreePort } from '../process/free-port.ts';

/** An HTTP server on this machine for a paid service. */
export interface ServiceHost extends AsyncDisposable {
  /** Such as `http://127.0.0.1:4021`. */
  readonly origin: string;
  /** Handles requests with `listener` from now on. */
  serve(listener: RequestListener): void;
  /** Cuts every connection. */
  stop(): Promise<void>;
}

/**
 * Listens at once and replies 503 until it has a service: its address must be known before the
 * wallet starts, and the service needs the chain that the wallet starts with.
 */
export async function openServiceHost(wantedPort?: number): Promise<ServiceHost> {
  const port = wantedPort ?? (await pickFreePort());
  let current = nothingToServe;
  const server = createServer((request, response) => current(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  async function stop(): Promise<void> {
    if (!server.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    serve: (listener) => {
      current = listener;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Routes by the first segment of the path; 404 where `find` has no listener for it. */
export function routeByName(find: (name: string) => RequestListener | undefined): RequestListener {
  return (request, response) => {
    const [, name = ''] = (request.url ?? '/').split(/[/?]/);
    const listener = find(name);
    if (listener === undefined) response.writeHead(404).end();
    else listener(request, response);
  };
}

const nothingToServe: RequestListener = (_request, response) => void response.writeHead(503).end();

/** Produces the goods for one paid request. */
export type Sell = (request: {
  readonly method: string;
  readonly url: string;
}) => Promise<Sold> | Sold;

interface Sold {
  readonly status: number;
  readonly body: unknown;
}

export function replyJson(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
