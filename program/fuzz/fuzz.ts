import { type Chain, createChain, type ProgramFiles } from './chain/chain.ts';
import { createCoverage, type Coverage } from './coverage/coverage.ts';
import { type Finding, fuzzWorld, replay } from './fuzz-world.ts';
import { shrink } from './shrink.ts';
import { type Step, formatStep } from './step.ts';
import { createUniverse, type Universe } from './world/universe.ts';

/** The worlds of one seed, which can be fuzzed in any order. */
export type Fuzzer = {
  /** Fuzzes one world, which its number determines. */
  readonly fuzz: (world: number, length: number) => FuzzedWorld;
};

export type FuzzedWorld = {
  readonly steps: number;
  readonly coverage: Coverage;
  /** Seed, step, what is wrong, and the shortest sequence that still shows it. */
  readonly finding: string | null;
};

/** Steps of a world; the last one of a run may have fewer. */
export const WORLD_STEPS = 500;
/** Number of key sets, and so of addresses and bumps, that worlds use in turn. */
const UNIVERSES = 3;

export function createFuzzer(seed: string, files: ProgramFiles): Fuzzer {
  const places = new Map<number, { readonly universe: Universe; readonly chain: Chain }>();
  const placeOf = (world: number): { readonly universe: Universe; readonly chain: Chain } => {
    const label = world % UNIVERSES;
    const known = places.get(label);
    if (known !== undefined) return known;
    const universe = createUniverse(`universe ${label}`);
    const made = { universe, chain: createChain(universe, files) };
    places.set(label, made);
    return made;
  };
  return {
    fuzz: (world, length) => {
      const { universe, chain } = placeOf(world);
      const coverage = createCoverage();
      const options = { seed, world, length };
      const { steps, finding } = fuzzWorld(chain, universe, options, coverage.count);
      const formatted = finding === null ? null : formatFinding(finding, seed, chain, universe);
      return { steps, coverage, finding: formatted };
    },
  };
}

function formatFinding(finding: Finding, seed: string, chain: Chain, universe: Universe): string {
  const { world, step, settings, steps, sentences } = finding;
  const kind = kindOf(sentences);
  const isWrong = (some: readonly Step[]): boolean =>
    kindOf(replay(chain, universe, settings, some).sentences) === kind;
  const shortest = isWrong(steps) ? shrink(steps, isWrong) : steps;
  const again = replay(chain, universe, settings, shortest).sentences;
  return [
    `seed ${seed}, world ${world}, step ${step}: ${sentences.join('; ')}`,
    `cut down to ${shortest.length} of ${steps.length} steps: ${again.join('; ')}`,
    `  clock ${settings.now}, money ${settings.money}, deposit limit ${settings.depositLimit}`,
    ...shortest.map((one, place) => `  ${place + 1}. ${formatStep(one, universe)}`),
  ].join('\n');
}

/** The first sentence without amounts, to compare findings of shorter sequences. */
function kindOf([first = '']: readonly string[]): string {
  return first.replaceAll(/-?\d{4,}/g, '#');
}
