import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';
import { StartError } from '../system/start-error.ts';

const LOOPBACK = '127.0.0.1';
// Below the range that systems use for outgoing connections (32768 and up on Linux), so that a
// port which was free when it was picked is not taken by a client before its server binds it.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const PICKS_MAX = 200;

/**
 * Picks a loopback port that is free now and that no process of this machine has picked. It stays
 * reserved until this process ends, also while the server that uses it is started again. Throws
 * StartError when 200 picks find no free port.
 */
export const pickFreePort = (): Promise<number> => pickFreePorts(1);

/**
 * Picks neighbouring ports as {@link pickFreePort} picks one, and returns the lowest of them.
 * Throws StartError.
 */
export async function pickFreePorts(count: number): Promise<number> {
  for (let pick = 0; pick < PICKS_MAX; pick += 1) {
    const lowest = randomInt(LOWEST_PORT, HIGHEST_PORT - count);
    if (await reservePorts(lowest, count)) return lowest;
  }
  throw new StartError(`No free port between ${LOWEST_PORT} and ${HIGHEST_PORT} on ${LOOPBACK}.`);
}

async function reservePorts(lowest: number, count: number): Promise<boolean> {
  const reserved: Socket[] = [];
  for (let port = lowest; port < lowest + count; port += 1) {
    const reservation = await reservePort(port);
    if (reservation !== undefined) reserved.push(reservation);
    if (reservation === undefined || !(await isPortFree(port))) {
      for (const socket of reserved) socket.close();
      return false;
    }
  }
  return true;
}

/**
 * Reserves a TCP port by a UDP socket with the same number: the two kinds do not disturb each
 * other, the system gives the number to one process, and frees it when that process ends.
 */
function reservePort(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind({ port, address: LOOPBACK, exclusive: true }, () => resolve(socket));
  });
}

/** Whether the loopback port is free, checked by binding it for a moment. */
function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/**
 * The port to use for a server: a free one when `wanted` is 0, else `wanted` itself. Throws
 * StartError when that port is in use; the error names `variable`, the environment variable that
 * sets the port.
 */
export async function claimPort(wanted: number, variable: string): Promise<number> {
  if (wanted === 0) return pickFreePort();
  if (await isPortFree(wanted)) return wanted;
  throw new StartError(
    `Port ${wanted} on ${LOOPBACK} is in use: stop the process that listens there, or set ${variable} to another port.`,
  );
}
