/** Servers that misbehave, on loopback and really there; all closed by `stop`. */

import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type Server, type Socket } from 'node:net';

export type HostileServers = {
  /** Speaks HTTP. */
  http(listener: RequestListener): Promise<string>;
  https(
    listener: RequestListener,
    identity: { readonly key: string; readonly cert: string },
    host: string,
  ): Promise<string>;
  /** Gets the connection as it is, once the first bytes of a request arrived. */
  raw(onRequest: (socket: Socket) => void): Promise<string>;
  /** An origin at which nobody listens. */
  nobody(): Promise<string>;
  /** Connections that are open at this moment. */
  openConnections(): number;
  stop(): Promise<void>;
};

export function createHostileServers(): HostileServers {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();

  async function listen(server: Server): Promise<number> {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    });
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('not a TCP server');
    return address.port;
  }
  const close = (server: Server): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });

  return {
    http: async (listener) => `http://127.0.0.1:${await listen(createHttp(listener))}`,
    https: async (listener, identity, host) =>
      `https://${host}:${await listen(createHttps(identity, listener))}`,
    raw: async (onRequest) => {
      const server = createTcp((socket) => void socket.once('data', () => onRequest(socket)));
      return `http://127.0.0.1:${await listen(server)}`;
    },
    nobody: async () => {
      const server = createTcp();
      const port = await listen(server);
      await close(server);
      return `http://127.0.0.1:${port}`;
    },
    openConnections: () => sockets.size,
    stop: async () => {
      await Promise.all(servers.map(close));
    },
  };
}
