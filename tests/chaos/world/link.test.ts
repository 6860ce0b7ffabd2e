import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { createLink, type Link } from './link.ts';
import { listenOnFreePort } from './listen.ts';

/** A server that returns the bytes that it receives, behind a link. */
async function openEcho(
  stack: AsyncDisposableStack,
): Promise<{ link: Link; call: (first: string) => Promise<Call>; open: () => number }> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket)).on('error', () => undefined);
    socket.pipe(socket);
  });
  const port = await listenOnFreePort(server);
  const link = createLink(() => ({ host: '127.0.0.1', port }));
  const linkPort = await listenOnFreePort(link.server);
  stack.defer(() => void server.close());
  stack.defer(() => link.close());
  const call = async (first: string): Promise<Call> => {
    const socket = connect(linkPort, '127.0.0.1');
    stack.defer(() => void socket.destroy());
    let heard = '';
    socket.on('data', (bytes) => (heard += bytes.toString()));
    await once(socket, 'connect');
    socket.write(first);
    return { socket, heard: () => heard };
  };
  return { link, call, open: () => connections.size };
}

type Call = { readonly socket: Socket; readonly heard: () => string };

test('a silence holds the bytes of both ends, and they arrive when it is healed', async () => {
  await using stack = new AsyncDisposableStack();
  const { link, call, open } = await openEcho(stack);
  const [one, other] = [await call('one'), await call('other')];
  await waitUntil('both', () => one.heard() === 'one' && other.heard() === 'other');

  link.fallSilent();
  one.socket.write(' more');
  other.socket.destroy();
  const late = await call('late');
  // The link has seen all three: the last of them has a connection of its own.
  await waitUntil('the connection of the last', () => open() === 3);
  expect([one.heard(), late.heard()]).toEqual(['one', '']);

  link.heal();
  await waitUntil('what was held', () => one.heard() === 'one more' && late.heard() === 'late');
  await waitUntil('the end of the other', () => open() === 2);
});

test('a replaced server gets bytes of new connections only, and a silence can select connections', async () => {
  await using stack = new AsyncDisposableStack();
  const { link, call } = await openEcho(stack);
  const [one, other] = [await call('one'), await call('other')];
  await waitUntil('both', () => one.heard() === 'one' && other.heard() === 'other');
  link.fallSilent((opening) => opening.startsWith('one'));
  one.socket.write(' lost');
  other.socket.write(' heard');
  await waitUntil('the other', () => other.heard() === 'other heard');
  link.replace();
  const next = await call('one');
  await waitUntil('the next', () => next.heard() === 'one');
  expect(one.heard()).toBe('one');
});
