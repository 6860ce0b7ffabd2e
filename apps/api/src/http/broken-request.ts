import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { ConnectionError, FastifyServerOptions } from 'fastify';
import { badRequest, type HttpRefusal, refuse } from './http-refusal.ts';

type Answer = NonNullable<FastifyServerOptions['clientErrorHandler']>;

/**
 * What cannot be read as HTTP never becomes a request; `answer` is all that answers it.
 *
 * Behind a request that is still to be answered it says nothing and closes: the caller would take
 * the refusal for the answer to that one, and a spend for refused. `watch` a server to know.
 */
export function createBrokenRequestAnswer(): {
  readonly answer: Answer;
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
    answer: (error, socket) => {
      const open = [...(openBySocket.get(socket) ?? [])];
      const isAwaited = open.some(({ req, headersSent }) => req.complete || headersSent);
      // A connection that is already gone, and one that no longer takes bytes, gets no answer.
      if (error.code === 'ECONNRESET' || !socket.writable || isAwaited) socket.destroy(error);
      else sendRefusal(error, socket);
    },
  };
}

function sendRefusal(error: ConnectionError, socket: Parameters<Answer>[1]): void {
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
