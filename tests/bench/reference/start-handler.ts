import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOverChannel } from '@agent-wallet/local-system/process/parent-channel.ts';
import {
  startProcess,
  type SupervisedProcess,
} from '@agent-wallet/local-system/process/supervised-process.ts';
import { LOCAL_DIR } from '@agent-wallet/local-system/system/running-system.ts';
import { z } from 'zod';

const START_TIMEOUT_MS = 30_000;
const STOP_GRACE_MS = 5_000;

/** Folder of the bench's logs and results. */
export const BENCH_DIR = join(LOCAL_DIR, 'bench');

const ready = z.object({ url: z.string() });

export type Handler = AsyncDisposable & {
  readonly url: string;
  readonly process: SupervisedProcess;
};

/** Starts a reference in a process of its own, like the processes of a system of ours. */
export async function startHandler(
  name: 'plain-handler' | 'plain-refusal',
  options: object,
): Promise<Handler> {
  await mkdir(BENCH_DIR, { recursive: true });
  const supervised = startProcess({
    name,
    entry: fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
    env: {},
    logFile: join(BENCH_DIR, `${name}.log`),
    // By its channel it notices the end of this process.
    exitsWithParent: false,
  });
  const { url } = await startOverChannel(supervised, options, ready, START_TIMEOUT_MS);
  return {
    url,
    process: supervised,
    [Symbol.asyncDispose]: async () => {
      await supervised.stop(STOP_GRACE_MS);
    },
  };
}
