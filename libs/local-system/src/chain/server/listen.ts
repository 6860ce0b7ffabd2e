import { once } from 'node:events';
import type { Server } from 'node:net';
import { isPortFree, pickFreePort } from '../../process/free-port.ts';
import { StartError } from '../../system/start-error.ts';

const LOOPBACK = '127.0.0.1';
const PICKS_MAX = 20;

/**
 * Listens on two neighbouring ports of this machine alone and returns the first: clients that know
 * a node's RPC expect its WebSocket on the next port. Throws StartError.
 */
export async function listenOnLoopback(rpc: Server, sockets: Server): Promise<number> {
  for (let pick = 0; pick < PICKS_MAX; pick += 1) {
    const port = await pickFreePort();
    if (!(await isPortFree(port + 1))) continue;
    rpc.listen(port, LOOPBACK);
    sockets.listen(port + 1, LOOPBACK);
    await Promise.all([once(rpc, 'listening'), once(sockets, 'listening')]);
    return port;
  }
  throw new StartError(`No two neighbouring ports are free on ${LOOPBACK}.`);
}
