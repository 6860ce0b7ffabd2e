import { spawnSync } from 'node:child_process';
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

test('a picked port stays reserved while nothing listens on it', async () => {
  const port = await claimPort(0, 'PORT');
  // Another process asks the system for the same reservation.
  const other = spawnSync(process.execPath, [
    '--eval',
    `require('node:dgram').createSocket('udp4').once('error', (error) => console.log(error.code))
      .bind({ port: ${port}, address: '127.0.0.1', exclusive: true }, () => process.exit(1));`,
  ]);
  expect([other.status, String(other.stdout).trim()]).toEqual([0, 'EADDRINUSE']);
});
