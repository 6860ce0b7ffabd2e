import { once } from 'node:events';
import { createServer } from 'node:http';
import type { PageSettings } from '../page/page-settings.ts';
import type { BuiltPage } from './built-page.ts';
import { pageAt } from './pages.ts';

const REQUEST_TIMEOUT_MS = 5_000;
const YEAR_S = 31_536_000;

export type PageServer = { readonly port: number; close(): Promise<void> };

/** Serves the dashboard's pages; `port` 0 picks a free one. */
export async function servePages(options: {
  readonly host: string;
  readonly port: number;
  readonly settings: PageSettings;
  readonly built: BuiltPage;
}): Promise<PageServer> {
  const { built, settings } = options;
  const headers = headersFor(settings);
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const { status, type, body, isImmutable = false } = pageAt(path, built, settings);
    response.writeHead(status, {
      ...headers,
      'cache-control': isImmutable ? `public, max-age=${YEAR_S}, immutable` : 'no-store',
      'content-type': type,
    });
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

/** The page runs its own scripts alone, and talks to the api and the RPC endpoint alone. */
function headersFor({ apiUrl, rpcUrl }: PageSettings): Readonly<Record<string, string>> {
  const partners = new Set([new URL(apiUrl).origin, new URL(rpcUrl).origin]);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${[...partners].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}
