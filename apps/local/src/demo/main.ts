/**
 * `npm run demo`: shows the main job step by step, as owner and agents with new keys, over HTTP and
 * RPC only. Uses the system that `npm start` runs from this clone, else starts one and stops it
 * afterwards. Exits with 0 only if each step went as expected.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@agent-wallet/local-system/process/run-command.ts';
import { listenForStop } from '@agent-wallet/local-system/process/stop-listener.ts';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { optionsFromEnvironment } from '@agent-wallet/local-system/system/environment.ts';
import {
  findRunningSystem,
  LOCAL_DIR,
  type RunningSystem,
} from '@agent-wallet/local-system/system/running-system.ts';
import { startSystem } from '@agent-wallet/local-system/system/start-system.ts';
import { createReporter, describeError } from './reporter.ts';
import { createStage, type Stage } from './stage.ts';
import { type Leftover, tellStory } from './story.ts';
import { exitCodeOf, summaryOf } from './summary.ts';

/** Half of a cluster's, unless SLOT_TIME_MS is set: most of the demo is waiting for confirmations. */
const SLOT_TIME_MS = 200;

type Place = Parameters<typeof createStage>[0] & Pick<RunningSystem, 'urls'>;

await runCommand(async () => {
  const stop = listenForStop();
  const interrupted = stop.signal;
  const options = optionsFromEnvironment(process.env);
  // A system that already runs has not been started by that command.
  const running = options.command === undefined ? await findRunningSystem() : undefined;
  if (running !== undefined) {
    stop.begun();
    console.log(`using the system that npm start runs: ${running.urls.api}`);
    process.exitCode = await run(running, { interrupted, ended: interrupted }, tryItYourself);
    return;
  }
  const dataDir = join(LOCAL_DIR, 'demo');
  rmSync(join(dataDir, 'logs'), { recursive: true, force: true });
  console.log('no system of this clone is running: starting one for the demo');
  const death = new AbortController();
  await using system = await startSystem({
    slotTimeMs: SLOT_TIME_MS,
    ...options,
    apiPort: 0,
    dashboardPort: 0,
    faucetPort: 0,
    dataDir,
    paidServices: true,
    // Without the dashboard, which the demo does not use and would have to build.
    processes: appProcesses,
    log: (line) => console.log(`  ${line}`),
    onDeath: (_name, sentence) => death.abort(new Error(sentence)),
  });
  stop.begun();
  process.exitCode = await run(system, {
    interrupted,
    ended: AbortSignal.any([interrupted, death.signal]),
  });
});

/** The demo's stop signals: `ended` is aborted by an interruption and by the death of a process. */
type Signals = { readonly interrupted: AbortSignal; readonly ended: AbortSignal };

/** `farewell` describes what the demo leaves on a system that keeps running. */
async function run(
  place: Place,
  { interrupted, ended }: Signals,
  farewell?: (api: string, leftover: Leftover) => string,
): Promise<number> {
  const startedMs = performance.now();
  const reporter = createReporter({
    write: (text) => process.stdout.write(text),
    rewritable: process.stdout.isTTY,
  });
  const stage = createStage(place, { reporter, ended });
  const { leftover, brokeOff } = await tell(stage, ended);
  const counts = reporter.counts();
  const outcome = { counts, brokeOff, wasInterrupted: interrupted.aborted };
  const seconds = (performance.now() - startedMs) / 1000;
  if (leftover !== null && farewell !== undefined) {
    reporter.note(farewell(place.urls.api, leftover));
  }
  reporter.note(`
${summaryOf(outcome, stage.ledger, seconds)}`);
  return exitCodeOf(outcome);
}

async function tell(
  stage: Stage,
  ended: AbortSignal,
): Promise<{ readonly leftover: Leftover | null; readonly brokeOff: string | null }> {
  try {
    return { leftover: await tellStory(stage), brokeOff: null };
  } catch (error) {
    const reason: unknown = ended.aborted ? ended.reason : error;
    return { leftover: null, brokeOff: describeError(reason) };
  }
}

function tryItYourself(api: string, { apiKey, listed, unlisted }: Leftover): string {
  return [
    '',
    'One session is still live (1 USDC per transfer, 24 hours); the README shows calls to try with it:',
    `  export API=${api}`,
    `  export KEY=${apiKey}`,
    `  export LISTED=${listed}`,
    `  export UNLISTED=${unlisted}`,
  ].join('\n');
}
