import { once } from 'node:events';
import type { Server } from 'node:net';
import { pickFreePorts } from '../../process/free-port.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Listens on two neighbouring ports of this machine alone and returns the first: clients that know
 * a node's RPC expect its WebSocket on the next port. Throws StartError.
 */
export async function listenOnLoopback(rpc: Server, sockets: Server): Promise<number> {
  const port = await pickFreePorts(2);
  rpc.listen(port, LOOPBACK);
  sockets.listen(port + 1, LOOPBACK);
  await Promise.all([once(rpc, 'listening'), once(sockets, 'listening')]);
  return port;
}
