import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import {
  startSystem,
  type StartSystemOptions,
  type System,
} from '@agent-wallet/local-system/system/start-system.ts';
import { createTestDatabase } from '../database/test-database.ts';

/** Half of a cluster's, and a blockhash still lives for 30 s. */
const SLOT_TIME_MS = 200;

let systems = 0;

/**
 * A whole system for one test file (or one `describe`): started before its tests on its own
 * database in the run's cluster and its own chain, stopped after them. The tests fail if one of its
 * processes ended unexpectedly or left a connection open.
 *
 * Its logs stay in `.local/test-systems/` until the next run. A slot takes 200 ms unless
 * `slotTimeMs` is set. The returned function returns the system, in tests and later hooks.
 */
export function useSystem(options: StartSystemOptions = {}): () => System {
  const deaths: string[] = [];
  const stack = new AsyncDisposableStack();
  let system: System | undefined;
  beforeAll(async () => {
    const database = stack.use(await createTestDatabase());
    systems += 1;
    system = stack.use(
      await startSystem({
        databaseUrl: database.url,
        dataDir: join(inject('systemsDir'), `${process.pid}-${systems}`),
        onDeath: (_name, sentence) => deaths.push(sentence),
        // Without the dashboard, which these tests do not use.
        processes: appProcesses,
        slotTimeMs: SLOT_TIME_MS,
        ...options,
      }),
    );
  });
  afterAll(async () => {
    await stack.disposeAsync();
    if (deaths.length > 0) throw new Error(deaths.join('\n'));
  });
  return () => {
    if (system === undefined)
      throw new Error('The system starts in beforeAll: call this in a test or a later hook.');
    return system;
  };
}
