/**
 * `npm run program:fuzz`: sends random transactions to the built program and compares each with a
 * model of the design and with the design's promises. Prints a table of instructions and outcomes.
 *
 * `-- --steps=<count>` or FUZZ_STEPS; `--seed=<text>` or FUZZ_SEED draws the same steps again;
 * `--world=<number>` takes only that world of the seed. AGENT_WALLET_SO fuzzes another build.
 * Exit code 0 without findings, 1 with a finding, 2 when it could not run.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { createCoverage } from './coverage/coverage.ts';
import { WORLD_STEPS } from './fuzz.ts';
import { formatCoverage } from './coverage/table.ts';

const DEFAULT_STEPS = 1_000_000;
const PROGRESS_MS = 10_000;
const NOTHING_FOUND = 0;
const FOUND = 1;
const FAILED = 2;

const settingsSchema = z.object({
  steps: z.coerce.number().int().min(1),
  seed: z.string().min(1),
  world: z.coerce.number().int().min(0).optional(),
});
type Settings = z.infer<typeof settingsSchema>;

const answerSchema = z.object({
  steps: z.number(),
  entries: z.array(z.tuple([z.string(), z.string(), z.number()])),
  finding: z.string().nullable(),
});
type Answer = z.infer<typeof answerSchema>;

function readSettings(): Settings {
  const { values } = parseArgs({
    options: { steps: { type: 'string' }, seed: { type: 'string' }, world: { type: 'string' } },
  });
  return settingsSchema.parse({
    steps: values.steps ?? process.env['FUZZ_STEPS'] ?? DEFAULT_STEPS,
    seed: values.seed ?? process.env['FUZZ_SEED'] ?? randomBytes(4).toString('hex'),
    world: values.world,
  });
}

async function main(): Promise<number> {
  const settings = readSettings();
  const worlds = worldsOf(settings);
  const coverage = createCoverage();
  const startedMs = performance.now();
  const seconds = (): string => ((performance.now() - startedMs) / 1_000).toFixed(0);
  let steps = 0;
  const findings: string[] = [];
  console.log(`seed ${settings.seed}, ${settings.steps} steps`);
  const progress = setInterval(() => {
    console.log(`${steps} steps, ${seconds()} s, ${findings.length} findings`);
  }, PROGRESS_MS);
  const take = ({ steps: taken, entries, finding }: Answer): boolean => {
    steps += taken;
    for (const [instruction, outcome, times] of entries) {
      coverage.count(instruction, outcome, times);
    }
    if (finding !== null) findings.push(finding);
    return findings.length === 0;
  };
  try {
    const count = Math.min(availableParallelism(), Math.ceil(settings.steps / WORLD_STEPS));
    const workers = Array.from({ length: count }, () => work(settings.seed, worlds, take));
    await Promise.all(workers);
  } finally {
    clearInterval(progress);
  }
  for (const finding of findings) console.log(`\nFOUND: ${finding}`);
  console.log(`\n${formatCoverage(coverage)}`);
  console.log(
    `\nseed ${settings.seed}: ${steps} steps, ${seconds()} s, ${findings.length} findings`,
  );
  return findings.length > 0 ? FOUND : NOTHING_FOUND;
}

/** Numbers and lengths of the worlds that make up the requested steps. */
function* worldsOf({ steps, world }: Settings): Generator<{ world: number; length: number }> {
  if (world !== undefined) {
    yield { world, length: WORLD_STEPS };
    return;
  }
  for (let from = 0, number = 0; from < steps; from += WORLD_STEPS, number += 1) {
    yield { world: number, length: Math.min(WORLD_STEPS, steps - from) };
  }
}

/** Runs one worker until the worlds are used up or `take` returns false. */
async function work(
  seed: string,
  worlds: Iterator<{ world: number; length: number }, unknown>,
  take: (answer: Answer) => boolean,
): Promise<void> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: { seed } });
  try {
    await new Promise<void>((resolve, reject) => {
      const next = (): void => {
        const { done, value } = worlds.next();
        if (done === true) resolve();
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
        else worker.postMessage(value);
      };
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('a worker ended')));
      worker.on('message', (message: unknown) => {
        if (take(answerSchema.parse(message))) next();
        else resolve();
      });
      next();
    });
  } finally {
    await worker.terminate();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = FAILED;
}
