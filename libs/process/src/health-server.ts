import { createServer } from 'node:http';
import type { Registry } from 'prom-client';

export type HealthServer = {
  readonly port: number;
  readonly close: () => Promise<void>;
};

type HealthOptions = {
  /** Loopback, unless a collector on another host must reach it. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly registry: Registry;
  /** Resolves when the process can do its work now; throws the reason when it cannot. */
  readonly checkReady: () => Promise<void>;
};

/** Starts the HTTP server for a worker's `/livez`, `/readyz` and `/metrics`. */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    replyTo(options, request.url ?? '/').then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Reply = { readonly status: number; readonly type: string; readonly body: string };

async function replyTo(options: HealthOptions, url: string): Promise<Reply> {
  const json = 'application/json';
  switch (url.split('?')[0]) {
    case '/livez':
      return { status: 200, type: json, body: '{"status":"ok"}' };
    case '/readyz':
      try {
        await options.checkReady();
        return { status: 200, type: json, body: '{"status":"ready"}' };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { status: 503, type: json, body: JSON.stringify({ status: 'not ready', reason }) };
      }
    case '/metrics':
      return {
        status: 200,
        type: options.registry.contentType,
        body: await options.registry.metrics(),
      };
    default:
      return { status: 404, type: json, body: '{"error":"route not found"}' };
  }
}
