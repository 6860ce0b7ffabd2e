import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuse } from './http-refusal.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';

/** Refuses a request whose `Expect` is not `100-continue`: no route and no hook runs for it. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = refuse('EXPECTATION_FAILED');
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    [REQUEST_ID_HEADER]: requestIdOf(request),
    // Its body, if there is one, is not read.
    connection: 'close',
  });
  response.end(text);
}
