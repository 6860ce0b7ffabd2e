import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { claimPort } from './free-port.ts';

test('a port in use is one sentence that names the variable to change', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await expect(claimPort(address.port, 'PORT')).rejects.toThrow(
    `Port ${address.port} on 127.0.0.1 is in use: stop the process that listens there, or set PORT to another port.`,
  );
  server.close();
  await once(server, 'close');
  await expect(claimPort(address.port, 'PORT')).resolves.toBe(address.port);
});

test('port 0 is a free port, a different one each time', async () => {
  const ports = await Promise.all([claimPort(0, 'PORT'), claimPort(0, 'PORT')]);
  expect(new Set(ports).size).toBe(2);
});
