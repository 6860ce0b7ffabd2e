import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy in front of a server. While it is silent, it drops what either side sends. */
export type SilentProxy = AsyncDisposable & {
  readonly port: number;
  isSilent: boolean;
  /** Connections that their clients have not closed. */
  readonly clients: () => number;
};

/** Starts a proxy on loopback for the server at `port`. */
export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    clients.add(client);
    client.on('close', () => clients.delete(client));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!proxy.isSilent) to.write(bytes);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        if (!proxy.isSilent) to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const proxy: SilentProxy = {
    port: isAddressInfo(address) ? address.port : 0,
    isSilent: false,
    clients: () => clients.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

const isAddressInfo = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === 'object' && address !== null;
