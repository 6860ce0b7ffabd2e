import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy between one process and one server, whose packets can vanish in both directions. */
export type Link = {
  /** Listens on a port of the caller's choice. */
  readonly server: Server;
  /**
   * From now on nothing passes, and neither side learns what the other one does. New connections
   * are accepted and as silent. `isAffected` selects by the first bytes that a client sends.
   */
  fallSilent(isAffected?: (opening: string) => boolean): void;
  /** Ends a silence. Everything that was held passes, as TCP would send it again. */
  heal(): void;
  /** Ends a silence for new connections. The others stay silent for ever, as after a failover. */
  replace(): void;
  /** Cuts every connection and closes the server. */
  close(): Promise<void>;
};

/** Two ends of a connection. */
type Pair = {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly opening: Buffer;
  wasOpened: boolean;
  isSilent: boolean;
};

/** Opens a link; `target` is called for each connection. Its clients must be the first to send. */
export function createLink(target: () => { readonly host: string; readonly port: number }): Link {
  const sockets = new Set<Socket>();
  /** Those that a healed silence joins again. */
  const held = new Set<Pair>();
  const joined = new Set<Pair>();
  let isAffected: ((opening: string) => boolean) | null = null;

  function hold(pair: Pair): void {
    pair.isSilent = true;
    pair.client.unpipe(pair.upstream);
    pair.upstream.unpipe(pair.client);
    joined.delete(pair);
    held.add(pair);
  }

  function join(pair: Pair): void {
    const { client, upstream, opening } = pair;
    pair.isSilent = false;
    held.delete(pair);
    joined.add(pair);
    if (client.destroyed || upstream.destroyed) return part(pair);
    if (!pair.wasOpened) upstream.write(opening);
    pair.wasOpened = true;
    client.pipe(upstream);
    upstream.pipe(client);
  }

  /** The end of one side reaches the other, unless packets vanish. */
  function part(pair: Pair): void {
    if (pair.isSilent) return;
    joined.delete(pair);
    pair.client.destroy();
    pair.upstream.destroy();
  }

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }

  const server = createServer((client) => {
    track(client);
    client.once('data', (opening) => {
      client.pause();
      const upstream = connect(target());
      track(upstream);
      const pair = { client, upstream, opening, wasOpened: false, isSilent: false };
      for (const socket of [client, upstream]) socket.on('close', () => part(pair));
      if (isAffected?.(opening.toString('latin1')) === true) hold(pair);
      else join(pair);
    });
  });

  return {
    server,
    fallSilent: (affected = () => true) => {
      isAffected = affected;
      for (const pair of joined) if (affected(pair.opening.toString('latin1'))) hold(pair);
    },
    heal: () => {
      isAffected = null;
      for (const pair of held) join(pair);
    },
    replace: () => {
      isAffected = null;
      held.clear();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
