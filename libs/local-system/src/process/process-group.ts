import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessSpec } from '../system/app-processes.ts';
import { claimPort } from './free-port.ts';
import { withLastLines } from './log-file.ts';
import { StartError } from '../system/start-error.ts';
import { fillCommand, type OwnCommand } from './own-command.ts';
import { createRestartPlan } from './restart-plan.ts';
import {
  describeDeath,
  describeExit,
  reportDeath,
  startProcess,
  type SupervisedProcess,
} from './supervised-process.ts';

const READY_INTERVAL_MS = 50;
const READY_REQUEST_TIMEOUT_MS = 2_000;

/** One process of the system that can be started again with the same port and environment. */
export interface RestartableProcess {
  readonly spec: ProcessSpec;
  /** Where /livez, /readyz (and the api itself) are served. */
  readonly url: string;
  readonly logFile: string;
  current(): SupervisedProcess | undefined;
  /** Starts it and waits until it is ready. Throws StartError if it ends or takes too long. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A process on a `port` that is already claimed for it. `onDeath` receives one sentence (with the
 * end of the log) when the process ends unexpectedly after it was ready. With `onRestart`, such a
 * process is started again, and `onDeath` is called when it has ended too often; `onRestart`
 * receives a line about each exit. A process that was never ready has a wrong setting or a missing
 * part: it is not started again.
 */
export function createRestartableProcess(options: {
  readonly spec: ProcessSpec;
  readonly port: number;
  readonly logsDir: string;
  readonly readyTimeoutMs: number;
  readonly stopGraceMs: number;
  readonly onDeath: ((name: string, sentence: string) => void) | undefined;
  readonly onRestart: ((line: string) => void) | undefined;
  /** Used in place of this Node; `envDir` is the folder for its files of variables. */
  readonly command: OwnCommand | undefined;
  readonly envDir: string;
}): RestartableProcess {
  const { spec, port, readyTimeoutMs, stopGraceMs } = options;
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(options.logsDir, `${spec.name}.log`);
  let current: SupervisedProcess | undefined;
  let stopping = new AbortController();

  function launch(): SupervisedProcess {
    const { name, role, entry } = spec;
    const env = { ...spec.env, [spec.portVariable]: String(port) };
    const { command, envDir } = options;
    const own = command && { command: fillCommand(command, { role, name, env }, envDir) };
    current = startProcess({ name, entry, env, logFile, ...own });
    return current;
  }

  async function start(): Promise<void> {
    stopping = new AbortController();
    const started = launch();
    await waitUntilReady(started, `${url}${spec.startedAt ?? '/readyz'}`, readyTimeoutMs);
    const { onRestart } = options;
    if (onRestart === undefined) {
      void reportDeath(started, options.onDeath);
      return;
    }
    keepRunning(started, onRestart, stopping.signal).catch((error: unknown) => {
      const sentence = `${spec.name} could not be started again: ${String(error)}`;
      options.onDeath?.(spec.name, sentence);
    });
  }

  /**
   * Starts the process again whenever it ends by itself, until it was stopped or is given up.
   * Rejects when it cannot be started, for example without a folder for its log.
   */
  async function keepRunning(
    first: SupervisedProcess,
    onRestart: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const plan = createRestartPlan(() => performance.now());
    for (let running = first; ; running = launch()) {
      const exit = await running.exited;
      if (running.wasToldToEnd()) return;
      const pauseMs = plan.pauseAfterExit();
      const what = `${spec.name} ${describeExit(exit)}`;
      if (pauseMs === null) {
        const sentence = `${what}, and it has ended too often within a minute to be started again.`;
        options.onDeath?.(spec.name, withLastLines(sentence, logFile));
        return;
      }
      onRestart(`${what}; it starts again in ${pauseMs / 1_000} s`);
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  return {
    spec,
    url,
    logFile,
    current: () => current,
    start,
    stop: async () => {
      stopping.abort();
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
