/**
 * `npm run demo`: the main job told step by step, as owner and agents with keys made this minute,
 * over HTTP and RPC only. Uses the system that `npm start` runs from this clone, else starts one
 * and stops it again. Exit code 0 only if everything went as expected.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@agent-wallet/local-system/process/run-command.ts';
import { optionsFromEnvironment } from '@agent-wallet/local-system/system/environment.ts';
import {
  findRunningSystem,
  LOCAL_DIR,
  type RunningSystem,
} from '@agent-wallet/local-system/system/running-system.ts';
import { startSystem } from '@agent-wallet/local-system/system/start-system.ts';
import { type Ending, listenForEnding } from './ending.ts';
import { createReporter, describeError } from './reporter.ts';
import { createStage, type Stage } from './stage.ts';
import { type Leftover, tellStory } from './story.ts';
import { exitCodeOf, summaryOf } from './summary.ts';

const NOT_THERE_YET =
  'Not there yet, each comes with a later capability: the dashboard, the rest of the command ' +
  'line, the SDK.';

type Place = Parameters<typeof createStage>[0] & Pick<RunningSystem, 'urls'>;

await runCommand(async () => {
  const ending = listenForEnding();
  const running = await findRunningSystem();
  if (running !== undefined) {
    ending.begun();
    console.log(`using the system that npm start runs: ${running.urls.api}`);
    process.exitCode = await run(running, ending, tryItYourself);
    return;
  }
  const dataDir = join(LOCAL_DIR, 'demo');
  rmSync(join(dataDir, 'logs'), { recursive: true, force: true });
  console.log('no system of this clone is running: starting one for the demo');
  await using system = await startSystem({
    ...optionsFromEnvironment(process.env),
    apiPort: 0,
    dashboardPort: 0,
    faucetPort: 0,
    dataDir,
    paidServices: true,
    log: (line) => console.log(`  ${line}`),
    onDeath: (_name, sentence) => ending.end(sentence),
  });
  ending.begun();
  process.exitCode = await run(system, ending);
});

/** @param farewell says what is left behind: a system of our own takes that down with itself. */
async function run(
  place: Place,
  ending: Ending,
  farewell?: (api: string, leftover: Leftover) => string,
): Promise<number> {
  const startedMs = performance.now();
  const reporter = createReporter({
    write: (text) => process.stdout.write(text),
    rewritable: process.stdout.isTTY,
  });
  const stage = createStage(place, { reporter, ended: ending.signal });
  const { leftover, brokeOff } = await tell(stage, ending);
  const counts = reporter.counts();
  const outcome = { counts, brokeOff, wasInterrupted: ending.wasInterrupted() };
  const seconds = (performance.now() - startedMs) / 1000;
  if (leftover !== null && farewell !== undefined) {
    reporter.note(farewell(place.urls.api, leftover));
  }
  reporter.note(`
${NOT_THERE_YET}

${summaryOf(outcome, stage.ledger, seconds)}`);
  return exitCodeOf(outcome);
}

async function tell(
  stage: Stage,
  { signal }: Ending,
): Promise<{ readonly leftover: Leftover | null; readonly brokeOff: string | null }> {
  try {
    return { leftover: await tellStory(stage), brokeOff: null };
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    return { leftover: null, brokeOff: describeError(reason) };
  }
}

function tryItYourself(api: string, { apiKey, listed, unlisted }: Leftover): string {
  return [
    '',
    'One session is still live (1 USDC at once, 24 hours); the README has calls to try with it:',
    `  export API=${api}`,
    `  export KEY=${apiKey}`,
    `  export LISTED=${listed}`,
    `  export UNLISTED=${unlisted}`,
  ].join('\n');
}
