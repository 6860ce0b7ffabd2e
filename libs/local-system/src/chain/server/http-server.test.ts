/** What a browser asks of the chain before a page of another origin may call it. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSteppedChain } from '../../../fixtures/stepped-chain.ts';
import { createHttpServer } from './http-server.ts';

const ORIGIN = 'https://wallet.example.com';

let server: ReturnType<typeof createHttpServer>;
let url: string;

beforeEach(async () => {
  server = createHttpServer(createSteppedChain().engine).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `http://127.0.0.1:${address.port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

test('the preflight of any page is answered, with the headers that clients of the chain add', async () => {
  const response = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, solana-client',
    },
  });
  expect(response.status).toBe(204);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': '*',
  });
});

test.each([
  ['a call', 200, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}', 'application/json'],
  ['a body that is not JSON', 200, '{', 'application/json'],
  ['a body of another type', 415, '{}', 'text/plain'],
])('a page can read the response to %s', async (_name, status, body, type) => {
  const headers = { origin: ORIGIN, 'content-type': type };
  const response = await fetch(url, { method: 'POST', headers, body });
  expect(response.status).toBe(status);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  // Without credentials: a wildcard origin with them is refused by browsers.
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
});
