import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Serving } from '../serve-stdio.ts';
import { type Admission, refuseRequest } from './admit.ts';

const PATH = '/mcp';
const MAX_BODY_BYTES = 1_048_576;
const DRAIN_MS = 5_000;
const PASSED_ON = ['accept', 'content-type', 'mcp-protocol-version'] as const;

export type HttpServing = Serving & { readonly url: string };

type HttpOptions = Admission & { readonly host: string; readonly port: number };

/**
 * Serves Streamable HTTP at `/mcp`. Each request has a server of its own and one JSON response: the
 * tools keep no state between calls, and a restart loses none.
 */
export async function serveHttp(
  createMcpServer: () => McpServer,
  options: HttpOptions,
  onFault: (fault: unknown) => void,
): Promise<HttpServing> {
  const server = createServer((request, response) => {
    answer(createMcpServer, options, request, response).catch((fault: unknown) => {
      onFault(fault);
      if (!response.headersSent) sendError(response, 500, 'internal error');
    });
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : options.port;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}${PATH}`,
    ended: new Promise<string>(() => {}),
    close: async () => {
      const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(timer);
    },
  };
}

async function answer(
  createMcpServer: () => McpServer,
  admission: Admission,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refused = refuseRequest(request.headers, admission);
  if (refused !== null) {
    if (refused.status === 401) response.setHeader('www-authenticate', 'Bearer');
    return sendError(response, refused.status, refused.error);
  }
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname !== PATH) return sendError(response, 404, `the server is at ${PATH}`);
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    return sendError(response, 405, 'there are no sessions and no streams: send POST');
  }
  const body = await readBody(request);
  if (body === null) return sendError(response, 413, 'the body is too large');
  const headers = PASSED_ON.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const server = createMcpServer();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  // Also when the client has gone: its call is aborted, and a request_id continues it.
  response.once('close', () => void server.close());
  const reply = await transport.handleRequest(new Request(url, { method: 'POST', headers, body }));
  response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The code is that of the protocol for errors of a server. */
function sendError(response: ServerResponse, status: number, message: string): void {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
