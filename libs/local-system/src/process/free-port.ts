import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { StartError } from '../system/start-error.ts';

// Below the range that systems use for outgoing connections (32768 and up on Linux), so that a
// port which was free when it was picked is not taken by a client before its server binds it.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const PICKS_MAX = 200;

const pickedHere = new Set<number>();

/** Whether the loopback port is free, checked by binding it for a moment. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/**
 * Picks a loopback port that is free now and that this process has not picked before. Throws
 * StartError when 200 picks find no free port.
 */
export async function pickFreePort(): Promise<number> {
  for (let pick = 0; pick < PICKS_MAX; pick += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (pickedHere.has(port)) continue;
    if (await isPortFree(port)) {
      pickedHere.add(port);
      return port;
    }
  }
  throw new StartError(`No free port between ${LOWEST_PORT} and ${HIGHEST_PORT} on 127.0.0.1.`);
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
    `Port ${wanted} on 127.0.0.1 is in use: stop the process that listens there, or set ${variable} to another port.`,
  );
}
