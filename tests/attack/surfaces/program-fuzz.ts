import { setImmediate } from 'node:timers/promises';
import { committedPrograms } from '../../../program/fuzz/chain.ts';
import { createFuzzer, WORLD_STEPS } from '../../../program/fuzz/fuzz.ts';
import { buildMutant, whyNotBuilt } from '../../../program/tests/mutants/build-mutant.ts';
import { mutantNamed } from '../../../program/tests/mutants/mutants.ts';
import type { Surface } from '../surface.ts';

const STEPS = 30_000;

/**
 * Random transactions against the built program, held against a model of the design. The checks are
 * taken out of the program, so without Rust for the chain they stay.
 */
export const programFuzz: Surface = {
  name: 'program fuzz',
  leastCases: STEPS,
  removable: [
    'owner-of-new-limits',
    'expiry',
    'clock-that-goes-back',
    'largest-fraction',
    'rest-comes-home',
  ],
  attack: async ({ seed, removed, progress }) => {
    const skipped = removed === null ? undefined : ((await whyNotBuilt()) ?? undefined);
    if (skipped !== undefined) return { cases: 0, findings: [], skipped };
    const wallet =
      removed === null ? committedPrograms.wallet : await buildMutant(mutantNamed(removed));
    progress(`fuzzing ${STEPS} steps`);
    const fuzzer = createFuzzer(seed, { ...committedPrograms, wallet });
    let cases = 0;
    for (let world = 0; cases < STEPS; world += 1) {
      const { steps, finding } = fuzzer.fuzz(world, WORLD_STEPS);
      cases += steps;
      if (finding !== null) {
        // The steps that show it are for whoever mends the program that is.
        const [sentence = ''] = finding.split('\n');
        return { cases, findings: [removed === null ? finding : sentence] };
      }
      await setImmediate();
    }
    return { cases, findings: [] };
  },
};
