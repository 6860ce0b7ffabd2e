import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../apps/local/src/embedded-postgres.ts';

/** A Postgres behind a gate: the processes come through the gate, the checks do not. */
export type GatedDatabase = AsyncDisposable & {
  readonly directUrl: string;
  readonly gatedUrl: string;
  /** Breaks every connection that goes through the gate. */
  cut(): void;
  /** Shut, the gate also refuses new connections. */
  setShut(shut: boolean): void;
};

export async function startGatedDatabase(): Promise<GatedDatabase> {
  await using stack = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), 'agent-wallet-chaos-'));
  await chmod(dataDir, 0o711);
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    logFile: join(dataDir, 'postgres.log'),
    fsync: false,
  });
  stack.defer(() => postgres.stop());
  const target = new URL(postgres.url);
  const sockets = new Set<Socket>();
  let isShut = false;
  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    cut();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the gate has no port');
  const gated = new URL(postgres.url);
  gated.port = String(address.port);
  const all = stack.move();
  return {
    directUrl: postgres.url,
    gatedUrl: gated.href,
    cut,
    setShut: (shut) => {
      isShut = shut;
      if (shut) cut();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
