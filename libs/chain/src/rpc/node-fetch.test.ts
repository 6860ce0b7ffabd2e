import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';

import { isAppError } from '@agent-wallet/errors';
import { expect, it } from 'vitest';

import { createRpc } from './rpc.ts';

const unavailable = (error: unknown): boolean => isAppError(error, 'RPC_UNAVAILABLE');

it('a connection on which nothing comes back is given up, and no later call uses it', async () => {
  const used: Socket[] = [];
  const server = createServer((request, reply) => {
    used.push(request.socket);
    if (used.length === 1) return;
    reply.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 7 }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const rpc = createRpc({ url: `http://127.0.0.1:${port}`, timeoutMs: 1_500 });
  const wire = new Uint8Array(4);
  const send = (): Promise<unknown> => rpc.sendRaw(wire, { skipPreflight: false });
  await expect(send()).rejects.toSatisfy(unavailable);
  await send();
  await send();
  const [dead, ...later] = used;
  expect(later).toHaveLength(2);
  expect(later).not.toContain(dead);
  server.closeAllConnections();
  server.close();
});
