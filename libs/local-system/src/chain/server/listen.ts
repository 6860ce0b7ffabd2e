import { once } from 'node:events';
import type { Server } from 'node:http';
import { isPortFree, pickFreePort } from '../../process/free-port.ts';
import { StartError } from '../../system/start-error.ts';

const LOOPBACK = '127.0.0.1';
const PICKS_MAX = 20;

/**
 * Listens on a port of this machine alone, and returns it. The next port is free as well: clients
 * expect a node's WebSocket there.
 */
export async function listenOnLoopback(server: Server): Promise<number> {
  for (let pick = 0; pick < PICKS_MAX; pick += 1) {
    const port = await pickFreePort();
    if (!(await isPortFree(port + 1))) continue;
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
    return port;
  }
  throw new StartError(`No two neighbouring ports are free on ${LOOPBACK}.`);
}
