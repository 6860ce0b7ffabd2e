import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { ConnectionError, FastifyServerOptions } from 'fastify';
import { badRequest, type HttpRefusal, refuse } from './http-refusal.ts';

type ClientErrorHandler = NonNullable<FastifyServerOptions['clientErrorHandler']>;

/**
 * Refuses bytes that are not an HTTP request: no route and no hook ever runs for them.
 *
 * While an earlier request on the connection has no response yet, the connection is closed without
 * a refusal: the caller would take the refusal for the response to that request, and an accepted
 * spend for a refused one. `watch` tracks the open requests of a server.
 */
export function createBrokenRequestHandler(): {
  readonly refuse: ClientErrorHandler;
  readonly watch: (server: Server) => void;
} {
  const openBySocket = new WeakMap<object, Set<ServerResponse>>();
  return {
    watch: (server) =>
      void server.on('request', ({ socket }, response) => {
        const open = openBySocket.get(socket) ?? new Set();
        openBySocket.set(socket, open.add(response));
        response.once('close', () => open.delete(response));
      }),
    refuse: (error, socket) => {
      const open = [...(openBySocket.get(socket) ?? [])];
      const isAwaited = open.some(({ req, headersSent }) => req.complete || headersSent);
      // A connection that is gone, or no longer takes bytes, cannot carry a refusal.
      if (error.code === 'ECONNRESET' || !socket.writable || isAwaited) socket.destroy(error);
      else sendRefusal(error, socket);
    },
  };
}

function sendRefusal(error: ConnectionError, socket: Parameters<ClientErrorHandler>[1]): void {
  const { status, body } = refusalOf(error);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

function refusalOf(error: ConnectionError): HttpRefusal {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('REQUEST_TIMEOUT');
    case 'HPE_HEADER_OVERFLOW':
      return refuse('HEADERS_TOO_LARGE');
    default:
      return badRequest('request must be valid HTTP');
  }
}
