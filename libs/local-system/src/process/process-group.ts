import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessSpec } from '../system/app-processes.ts';
import { claimPort } from './free-port.ts';
import { withLastLines } from './log-file.ts';
import { StartError } from '../system/start-error.ts';
import {
  describeDeath,
  reportDeath,
  startProcess,
  type SupervisedProcess,
} from './supervised-process.ts';

const READY_INTERVAL_MS = 50;
const READY_REQUEST_TIMEOUT_MS = 2_000;

/** One process of the system that can be started again with the same port and environment. */
export interface RestartableProcess {
  readonly spec: ProcessSpec;
  /** Where /livez, /readyz, /metrics (and the api itself) are served. */
  readonly url: string;
  readonly logFile: string;
  current(): SupervisedProcess | undefined;
  /** Starts it and waits until it is ready. Throws StartError if it ends or takes too long. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A process on a `port` that is already claimed for it. `onDeath` receives one sentence (with the
 * end of the log) when the process ends unexpectedly after it was ready.
 */
export function createRestartableProcess(options: {
  readonly spec: ProcessSpec;
  readonly port: number;
  readonly logsDir: string;
  readonly readyTimeoutMs: number;
  readonly stopGraceMs: number;
  readonly onDeath: ((name: string, sentence: string) => void) | undefined;
}): RestartableProcess {
  const { spec, port, readyTimeoutMs, stopGraceMs } = options;
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(options.logsDir, `${spec.name}.log`);
  let current: SupervisedProcess | undefined;

  async function start(): Promise<void> {
    const started = startProcess({
      name: spec.name,
      entry: spec.entry,
      env: { ...spec.env, [spec.portVariable]: String(port) },
      logFile,
    });
    current = started;
    await waitUntilReady(started, `${url}${spec.startedAt ?? '/readyz'}`, readyTimeoutMs);
    void reportDeath(started, options.onDeath);
  }

  return {
    spec,
    url,
    logFile,
    current: () => current,
    start,
    stop: async () => {
      await current?.stop(stopGraceMs);
    },
  };
}

/** The ports of all processes, each claimed before any process starts. */
export async function claimPorts(specs: readonly ProcessSpec[]): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for (const { name, port = 0, portVariable } of specs) {
    ports.set(name, await claimPort(port, portVariable));
  }
  return ports;
}

async function waitUntilReady(
  supervised: SupervisedProcess,
  url: string,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (!supervised.isRunning()) {
      throw new StartError(describeDeath(supervised, await supervised.exited));
    }
    if (await isReady(url)) return;
    await delay(READY_INTERVAL_MS);
  }
  const sentence = `${supervised.name} was not ready within ${timeoutMs / 1000} s.`;
  throw new StartError(withLastLines(sentence, supervised.logFile));
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(READY_REQUEST_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
