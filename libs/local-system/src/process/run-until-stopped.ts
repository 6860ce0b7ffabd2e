import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { optionsFromEnvironment } from '../system/environment.ts';
import {
  announceRunningSystem,
  findRunningSystem,
  forgetRunningSystem,
  LOCAL_DIR,
} from '../system/running-system.ts';
import { StartError } from '../system/start-error.ts';
import { startSystem } from '../system/start-system.ts';
import type { System } from '../system/system.ts';

/** npm and the launcher pass a Ctrl-C on that the terminal has sent too: that is one press. */
const SAME_PRESS_MS = 1_000;

/**
 * Starts the system that the environment asks for, tells where it is, and stops it at the first
 * Ctrl-C (or SIGTERM, or when the launcher goes away). A second Ctrl-C ends at once.
 * @throws StartError if it cannot start, runs already, or one of its processes ends by itself.
 */
export async function runUntilStopped(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const already = await findRunningSystem();
  if (already !== undefined) {
    throw new StartError(
      `A system of this clone runs already (process ${already.pid}, ${already.urls.api}).`,
    );
  }
  const stopAsked = listenForStop();
  const died = Promise.withResolvers<string>();
  rmSync(join(LOCAL_DIR, 'logs'), { recursive: true, force: true });
  await using system = await startSystem({
    ...optionsFromEnvironment(environment),
    dataDir: LOCAL_DIR,
    paidServices: true,
    log: console.log,
    onDeath: (_name, sentence) => died.resolve(sentence),
  });
  stopAsked.begun();
  announceRunningSystem(system);
  console.log(welcome(system));
  const death = await Promise.race([stopAsked.promise, died.promise]);
  forgetRunningSystem();
  console.log('stopping …');
  await system.stop();
  if (death !== undefined) throw new StartError(death);
}

interface StopRequest {
  /** Resolves at the first request to stop. */
  readonly promise: Promise<undefined>;
  /** From now on the first request stops tidily; before, it ends this process at once. */
  begun(): void;
}

function listenForStop(): StopRequest {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let running = false;
  let firstAt: number | undefined;
  function ask(): void {
    const now = performance.now();
    // What was started so far ends by itself when this process is gone.
    if (!running) process.exit(130);
    if (firstAt !== undefined && now - firstAt > SAME_PRESS_MS) process.exit(130);
    firstAt ??= now;
    resolve(undefined);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  process.once('disconnect', ask);
  // Listening must not keep this process running when all is stopped.
  process.channel?.unref();
  return {
    promise,
    begun: () => {
      running = true;
    },
  };
}

function welcome(system: System): string {
  return [
    '',
    `api     ${system.urls.api}`,
    `page    ${system.urls.dashboard}`,
    `chain   ${system.urls.rpc}  (${system.urls.ws})`,
    `program ${system.programId}`,
    `usdc    ${system.usdcMint}`,
    `faucet  ${system.urls.faucet}`,
    `logs    ${system.logsDir}`,
    '',
    'Ask it something:',
    `  curl -s ${system.urls.api}/readyz`,
    'Worthless money for an address (lamports, base units of USDC):',
    `  curl -s ${system.urls.faucet} -d '{"address":"<address>","lamports":1000000000,"usdc":5000000}'`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}
