import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import { createEgress, type EgressRequest } from './egress.ts';

const stack: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stack.splice(0).toReversed()) await stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has no other kind
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function get(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return {
    method: 'GET',
    url,
    headers: {},
    body: null,
    timeoutMs: 5_000,
    maxBytes: 1_024,
    ...more,
  };
}

describe('egress', () => {
  it('answers with status, headers and body', async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(402, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end('pay');
    });
    const egress = createEgress({ loopbackOrigins: [origin] });
    const answer = await egress(get(`${origin}/x`));
    expect(answer).toMatchObject({ kind: 'answered', status: 402, body: Buffer.from('pay') });
    if (answer.kind !== 'answered') throw new Error(answer.detail);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain' });
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  it('refuses this machine where it is not let through', async () => {
    const egress = createEgress({ loopbackOrigins: [] });
    expect(await egress(get('http://127.0.0.1:8080/'))).toMatchObject({ reason: 'refused_url' });
  });
});
