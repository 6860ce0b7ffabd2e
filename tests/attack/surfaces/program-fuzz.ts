import { setImmediate } from 'node:timers/promises';
import { committedPrograms } from '../../../program/fuzz/chain/chain.ts';
import { createFuzzer, WORLD_STEPS } from '../../../program/fuzz/fuzz.ts';
import { buildMutant, whyNotBuilt } from '../../mutants/trial/build.ts';
import { mutantNamed, mutantsNoticedBy } from '../../mutants/mutants.ts';
import type { Surface } from '../surface.ts';

const STEPS = 30_000;

/**
 * Random transactions against the built program, compared with a model of the design. The mutants
 * are builds of the program and are skipped without Rust for the chain.
 */
export const programFuzz: Surface = {
  name: 'program fuzz',
  leastCases: STEPS,
  mutants: mutantsNoticedBy('surface program fuzz'),
  attack: async ({ seed, mutant, progress }) => {
    const skipped = mutant === null ? undefined : ((await whyNotBuilt()) ?? undefined);
    if (skipped !== undefined) return { cases: 0, findings: [], skipped };
    const wallet =
      mutant === null
        ? committedPrograms.wallet
        : await buildMutant(mutantNamed(mutant), { copy: 'attack' });
    progress(`fuzzing ${STEPS} steps`);
    const fuzzer = createFuzzer(seed, { ...committedPrograms, wallet });
    let cases = 0;
    for (let world = 0; cases < STEPS; world += 1) {
      const { steps, finding } = fuzzer.fuzz(world, WORLD_STEPS);
      cases += steps;
      if (finding !== null) {
        // The steps to reproduce are of use for the real program only.
        const [sentence = ''] = finding.split('\n');
        return { cases, findings: [mutant === null ? finding : sentence] };
      }
      await setImmediate();
    }
    return { cases, findings: [] };
  },
};
