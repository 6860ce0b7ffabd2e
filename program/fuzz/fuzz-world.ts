import type { Chain } from './chain/chain.ts';
import { createMemory, remember } from './draw/memory.ts';
import { drawStep } from './draw/step.ts';
import { createRandom } from './draw/random.ts';
import { startRun } from './run.ts';
import { isByOwner, type Step } from './step.ts';
import type { Universe } from './world/universe.ts';
import { drawWorld, type WorldSettings } from './world/world.ts';

/** A broken promise: where it happened, and all steps of its world up to there. */
export type Finding = {
  readonly world: number;
  readonly step: number;
  readonly settings: WorldSettings;
  readonly steps: readonly Step[];
  readonly sentences: readonly string[];
};

export type WorldReport = {
  readonly steps: number;
  readonly finding: Finding | null;
};

/** Steps between two comparisons of all accounts; a last one follows at the end. */
const CHECK_ALL_EVERY = 100;

/**
 * Draws and takes `length` steps in a new world, which seed and number determine, and stops at the
 * first finding. Calls `count` with each transaction's instruction and outcome.
 */
export function fuzzWorld(
  chain: Chain,
  universe: Universe,
  {
    seed,
    world,
    length,
  }: { readonly seed: string; readonly world: number; readonly length: number },
  count: (instruction: string, outcome: string) => void,
): WorldReport {
  const random = createRandom(seed, world);
  const settings = drawWorld(random);
  const run = startRun(chain, universe, settings);
  const steps: Step[] = [];
  const memory = createMemory();
  while (steps.length < length) {
    const step = drawStep({ random, universe, settings, model: run.model(), memory });
    steps.push(step);
    remember(memory, step);
    const { outcome, findings } = run.take(step);
    if (outcome !== null) count(instructionsOf(step, universe), outcome);
    const isTime = steps.length % CHECK_ALL_EVERY === 0 || steps.length === length;
    const sentences = isTime && findings.length === 0 ? run.checkAll() : findings;
    if (sentences.length > 0) {
      const finding = { world, step: steps.length, settings, steps, sentences };
      return { steps: steps.length, finding };
    }
  }
  return { steps: steps.length, finding: null };
}

/** Repeats the steps in a new world; returns the first findings and the number of steps. */
export function replay(
  chain: Chain,
  universe: Universe,
  settings: WorldSettings,
  steps: readonly Step[],
): { readonly taken: number; readonly sentences: readonly string[] } {
  const run = startRun(chain, universe, settings);
  for (const [place, step] of steps.entries()) {
    const { findings } = run.take(step);
    if (findings.length > 0) return { taken: place + 1, sentences: findings };
  }
  return { taken: steps.length, sentences: run.checkAll() };
}

/** The name that coverage counts; movements of the reserve by owners have names of their own. */
function instructionsOf(step: Step, universe: Universe): string {
  if (step.do !== 'send') return step.do;
  const last = step.calls.at(-1);
  // A call of the reserve follows its refresh.
  const isOne = step.calls.length === 1 || last?.program === 'reserve';
  if (last === undefined || !isOne) return 'several';
  const isYield = last.name.startsWith('yield_');
  return isYield && isByOwner(last, universe) ? `${last.name} by owner` : last.name;
}
