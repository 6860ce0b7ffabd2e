import { once } from 'node:events';
import { createServer } from 'node:http';
import { pageAt } from './pages.ts';

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const REQUEST_TIMEOUT_MS = 5_000;

export type PageServer = { readonly port: number; close(): Promise<void> };

/** Serves the dashboard's pages; `port` 0 picks a free one. */
export async function servePages(options: {
  readonly host: string;
  readonly port: number;
  readonly apiUrl: string;
}): Promise<PageServer> {
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const { status, type, body } = pageAt(path, options.apiUrl);
    response.writeHead(status, { ...HEADERS, 'content-type': type });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: async () => {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}
