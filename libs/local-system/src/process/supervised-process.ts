import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StartError } from '../system/start-error.ts';
import { withLastLines } from './log-file.ts';

/** Variables that each process inherits; all others are passed by name. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'NODE_EXTRA_CA_CERTS',
  // The launcher's: code compiled by one process is loaded by the next.
  'NODE_COMPILE_CACHE',
] as const;

/** Bounds in MiB for each space of V8's heap; docs/runbook.md has the reasons. */
const MEMORY_FLAGS = [
  '--max-old-space-size=512',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
];

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const PRELOAD = new URL('./exit-with-parent.ts', import.meta.url).href;

/** How to start one Node process. */
export interface ProcessRecipe {
  readonly name: string;
  /** Absolute path of the TypeScript file to run. */
  readonly entry: string;
  /** Its whole environment, apart from the few inherited variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard output and error are appended to this file. */
  readonly logFile: string;
  /** False for a process that cleans up by itself when the supervisor dies. */
  readonly exitsWithParent?: boolean;
  /** Run in place of this Node with `entry`; it has the variables already. See own-command.ts. */
  readonly command?: readonly string[];
}

/** How a process ended: by an exit code or by a signal. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SupervisedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly child: ChildProcess;
  /** Settles once, when the process is gone. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  isRunning(): boolean;
  /** True from the first signal that ends it: its end is then expected. */
  wasToldToEnd(): boolean;
  /** Sends a signal; does nothing when the process is gone. */
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, then SIGKILL after `graceMs`; resolves when it is gone. */
  stop(graceMs: number): Promise<ProcessExit>;
}

const ENDING: ReadonlySet<NodeJS.Signals> = new Set(['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGQUIT']);

/**
 * Starts a Node process in a session of its own (a Ctrl-C at the terminal reaches only the
 * supervisor, which then stops the processes in their order), with a channel to the supervisor.
 */
export function startProcess(recipe: ProcessRecipe): SupervisedProcess {
  const log = openSync(recipe.logFile, 'a');
  const child = recipe.command === undefined ? spawnNode(recipe, log) : spawnCommand(recipe, log);
  closeSync(log);
  // If the channel breaks while a message is in transit, the process has ended; `exited` reports
  // it.
  child.on('error', () => undefined);
  const { pid } = child;
  if (pid === undefined) throw new StartError(`The process ${recipe.name} could not be started.`);
  return supervise(recipe, child, pid);
}

function spawnNode({ entry, env, exitsWithParent }: ProcessRecipe, log: number): ChildProcess {
  const preload = exitsWithParent === false ? [] : ['--import', PRELOAD];
  return spawn(process.execPath, [...MEMORY_FLAGS, ...preload, entry], {
    cwd: REPOSITORY,
    env: { ...passedOnVariables(), ...env },
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  });
}

function spawnCommand({ command = [] }: ProcessRecipe, log: number): ChildProcess {
  const [file = '', ...args] = command;
  return spawn(file, args, { cwd: REPOSITORY, stdio: ['ignore', log, log], detached: true });
}

function passedOnVariables(): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = process.env[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

function supervise(recipe: ProcessRecipe, child: ChildProcess, pid: number): SupervisedProcess {
  let running = true;
  let toldToEnd = false;
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, endingSignal) => {
      running = false;
      resolve({ code, signal: endingSignal });
    });
  });
  function signal(name: NodeJS.Signals): void {
    if (ENDING.has(name)) toldToEnd = true;
    if (!running) return;
    // SIGKILL goes to the whole group: children of the process must not outlive it.
    if (name === 'SIGKILL') process.kill(-pid, name);
    else child.kill(name);
  }
  async function stop(graceMs: number): Promise<ProcessExit> {
    signal('SIGTERM');
    // A paused process does not handle SIGTERM.
    signal('SIGCONT');
    const deadline = setTimeout(() => signal('SIGKILL'), graceMs);
    try {
      return await exited;
    } finally {
      clearTimeout(deadline);
    }
  }
  return {
    name: recipe.name,
    pid,
    logFile: recipe.logFile,
    child,
    exited,
    isRunning: () => running,
    wasToldToEnd: () => toldToEnd,
    signal,
    stop,
  };
}

/** Such as `exited with code 1` or `was killed (SIGKILL)`. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exited with code ${code}` : `was killed (${signal})`;
}

/** One sentence on a process that ended, with the end of its log. */
export function describeDeath(supervised: SupervisedProcess, exit: ProcessExit): string {
  const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`;
  return withLastLines(`${supervised.name} ended unexpectedly ${how}.`, supervised.logFile);
}

/** Waits for the end of a process and calls `onDeath` unless the end was requested. */
export async function reportDeath(
  supervised: SupervisedProcess,
  onDeath: ((name: string, sentence: string) => void) | undefined,
): Promise<void> {
  const exit = await supervised.exited;
  if (!supervised.wasToldToEnd()) onDeath?.(supervised.name, describeDeath(supervised, exit));
}
