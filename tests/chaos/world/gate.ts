import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from './listen.ts';

/** A TCP proxy whose address stays while its target changes. */
export type Gate = AsyncDisposable & {
  readonly port: number;
  /** Breaks all connections. */
  cut(): void;
  /** While shut, it refuses new connections. */
  setShut(shut: boolean): void;
};

/** Opens a gate; `target` is called for each connection. */
export async function openGate(
  target: () => { readonly host: string; readonly port: number },
): Promise<Gate> {
  const sockets = new Set<Socket>();
  let isShut = false;
  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(target());
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const port = await listenOnFreePort(server);
  return {
    port,
    cut,
    setShut: (shut) => {
      isShut = shut;
      if (shut) cut();
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
