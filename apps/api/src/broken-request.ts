import type { ConnectionError, FastifyServerOptions } from 'fastify';

/** What cannot be read as HTTP never becomes a request; this is all that answers it. */
export const answerBrokenRequest: NonNullable<FastifyServerOptions['clientErrorHandler']> = (
  error,
  socket,
) => {
  // A connection that is already gone, and one that no longer takes bytes, gets no answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const { status, text, code } = faceOf(error);
  const body = JSON.stringify({ error: text, code, layer: 'off-chain', retryable: false });
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

function faceOf(error: ConnectionError): { status: string; text: string; code: string } {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: '408 Request Timeout', text: 'request timeout', code: 'REQUEST_TIMEOUT' };
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: '431 Request Header Fields Too Large',
        text: 'headers too large',
        code: 'HEADERS_TOO_LARGE',
      };
    default:
      return { status: '400 Bad Request', text: 'request must be valid HTTP', code: 'BAD_REQUEST' };
  }
}
