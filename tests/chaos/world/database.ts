import { mkdtempSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@agent-wallet/local-system/postgres/embedded-postgres.ts';
import { copyDataDirectory, makeNewTimeline } from './data-directory.ts';
import { openGate } from './gate.ts';

/**
 * A Postgres behind two gates: one for the processes, which can be shut, and one for the checks.
 */
export type GatedDatabase = AsyncDisposable & {
  readonly directUrl: string;
  readonly gatedUrl: string;
  /** Breaks all connections of the processes. */
  cut(): void;
  /** While shut, the gate refuses new connections. */
  setShut(shut: boolean): void;
  /** Copies the data directory while the server runs. Returns the path of the copy. */
  copy(): Promise<string>;
  /** Stops the server and continues on a copy, which only a new timeline gives away. */
  restore(copy: string, as: { readonly newTimeline: boolean }): Promise<void>;
};

export async function startGatedDatabase(): Promise<GatedDatabase> {
  await using stack = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), 'agent-wallet-chaos-'));
  await chmod(dataDir, 0o711);
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const place = { dataDir, logFile: join(dataDir, 'postgres.log'), fsync: false };
  let postgres = await startEmbeddedPostgres(place);
  stack.defer(() => postgres.stop());
  const target = (): { host: string; port: number } => {
    const { hostname, port } = new URL(postgres.url);
    return { host: hostname, port: Number(port) };
  };
  const direct = stack.use(await openGate(target));
  const gate = stack.use(await openGate(target));
  const urlThrough = (port: number): string => {
    const url = new URL(postgres.url);
    url.port = String(port);
    return url.href;
  };
  let copies = 0;
  const all = stack.move();
  return {
    directUrl: urlThrough(direct.port),
    gatedUrl: urlThrough(gate.port),
    cut: () => gate.cut(),
    setShut: (shut) => gate.setShut(shut),
    copy: async () => {
      copies += 1;
      const copy = join(dataDir, `copy-${copies}`);
      await copyDataDirectory(postgres.url, copy);
      return copy;
    },
    restore: async (copy, { newTimeline }) => {
      const { password } = new URL(postgres.url);
      await postgres.stop();
      if (newTimeline) await makeNewTimeline(copy);
      postgres = await startEmbeddedPostgres({ ...place, restore: { copy, password } });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
