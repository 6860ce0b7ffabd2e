import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import {
  startSystem,
  type StartSystemOptions,
  type System,
} from '@agent-wallet/local-system/system/start-system.ts';
import type { QueueBackend } from '../queue/queue-backends.ts';
import { createTestDatabase } from '../database/test-database.ts';

let systems = 0;

/**
 * A whole system for one test file (or one `describe`): started before its tests, on a database of
 * its own in the run's cluster and a chain of its own, stopped after them. The tests fail if one of
 * its processes ended by itself, or left a connection open.
 *
 * Its logs stay in `.local/test-systems/` until the next run.
 * @param options `queue` says where its queue lives; in its Postgres when absent
 * @returns the system; callable in tests and hooks that run later
 */
export function useSystem({
  queue,
  ...options
}: StartSystemOptions & { readonly queue?: QueueBackend } = {}): () => System {
  const deaths: string[] = [];
  const stack = new AsyncDisposableStack();
  let system: System | undefined;
  beforeAll(async () => {
    const database = stack.use(await createTestDatabase());
    const redisUrl = await queue?.open(stack);
    systems += 1;
    system = stack.use(
      await startSystem({
        databaseUrl: database.url,
        dataDir: join(inject('systemsDir'), `${process.pid}-${systems}`),
        onDeath: (_name, sentence) => deaths.push(sentence),
        // Without the owner's page, which no test of these needs.
        processes: appProcesses,
        ...(redisUrl === undefined ? {} : { redisUrl }),
        ...options,
      }),
    );
  });
  afterAll(async () => {
    await stack.disposeAsync();
    if (deaths.length > 0) throw new Error(deaths.join('\n'));
  });
  return () => {
    if (system === undefined) throw new Error('The system is started in beforeAll: ask later.');
    return system;
  };
}
