/**
 * `npm run bench`: a burst of requests far above the chain's capacity, and then the same load on
 * lanes of depth 1 and 32 side by side. Prints numbers without judging them. Exits with 1 when
 * money or counts disagree, when a process keeps growing, or when the bench exceeds its time limit.
 */
import { availableParallelism, loadavg } from 'node:os';
import { runCommand } from '@agent-wallet/local-system/process/run-command.ts';
import { measure } from './measure.ts';
import { type MemoryOfProcess, MOST_GROWTH, watchMemory } from './memory.ts';
import { confirmedPerSecond, memoryLine, printRun } from './report.ts';
import { openStage } from './stage.ts';
import { limitTime } from './time-limit.ts';

const BURST = { wallets: 2, sessionsEach: 25, perAgent: 100, atOnce: 2, laneDepth: 32 } as const;
const DEPTHS = [1, 32] as const;
const BESIDE = { wallets: 1, sessionsEach: 10, perAgent: 20, atOnce: 10 } as const;

await runCommand(async () => {
  const load = loadavg()[0]?.toFixed(1);
  console.log(`${availableParallelism()} cores, load ${load} before; Node ${process.version}`);
  using limit = limitTime(process.env);
  limit.at('the burst');
  const ofBurst = await burst();
  limit.at('lane depths side by side');
  const wrong = [...ofBurst, ...(await compareDepths())];
  for (const sentence of wrong) console.error(`WRONG: ${sentence}`);
  if (wrong.length > 0) process.exitCode = 1;
});

async function burst(): Promise<readonly string[]> {
  await using stage = await openStage({ name: 'burst', ...BURST });
  console.log(
    `\n${BURST.perAgent * stage.agents.length} requests over ${stage.agents.length} sessions`,
  );
  const watch = await watchMemory(stage.system);
  const measured = await measure(stage, BURST);
  const memory = await watch.stop();
  printRun(measured);
  for (const one of memory) console.log(memoryLine(one));
  return [...measured.wrong, ...memory.flatMap(findGrowth)];
}

/** On one machine at the same time, so that both are disturbed equally. */
async function compareDepths(): Promise<readonly string[]> {
  const stages = await Promise.all(
    DEPTHS.map((laneDepth) => openStage({ name: `depth-${laneDepth}`, ...BESIDE, laneDepth })),
  );
  try {
    const runs = await Promise.all(stages.map((stage) => measure(stage, BESIDE)));
    for (const [place, run] of runs.entries()) {
      console.log(`\nLANE_DEPTH ${DEPTHS[place]}, beside the other`);
      printRun(run);
    }
    const [one, many] = runs.map(confirmedPerSecond);
    if (one !== undefined && many !== undefined) {
      console.log(`\nconfirmed per second, depth 32 by depth 1: ${(many / one).toFixed(2)}`);
    }
    return runs.flatMap(({ wrong }) => wrong);
  } finally {
    for (const stage of stages) await stage[Symbol.asyncDispose]();
  }
}

function findGrowth({ name, growth }: MemoryOfProcess): readonly string[] {
  return growth > MOST_GROWTH ? [`${name} grows: last third by middle third ${growth}`] : [];
}
