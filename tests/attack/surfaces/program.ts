import { whyNotBuilt } from '../../mutants/trial/build.ts';
import { mutantNamed, mutantsNoticedBy } from '../../mutants/mutants.ts';
import { runProgramTests } from '../../mutants/trial/run-program-tests.ts';
import { tryProgramMutant } from '../../mutants/trial/try-program-mutant.ts';
import type { Report, Surface } from '../surface.ts';

/**
 * The on-chain program on LiteSVM: forged, crossed, closed and revived accounts, replays, clocks, a
 * hostile reserve. Some of its mutants are tried here, all of them by `npm run program:mutants`.
 */
export const program: Surface = {
  name: 'program',
  leastCases: 500,
  mutants: mutantsNoticedBy('surface program'),
  attack: async ({ mutant, progress }) => {
    if (mutant !== null) return attackMutant(mutant);
    progress('running the tests of the program');
    const { attacks, failed } = await runProgramTests({ words: ATTACKING_FILES });
    return { cases: attacks, findings: failed };
  },
};

/** All files except measurements and tests of other programs. */
const ATTACKING_FILES = ['program/tests/attacks', 'program/tests/instructions'];

async function attackMutant(name: string): Promise<Report> {
  const skipped = (await whyNotBuilt()) ?? undefined;
  if (skipped !== undefined) return { cases: 0, findings: [], skipped };
  const findings = await tryProgramMutant(mutantNamed(name), { copy: 'attack' });
  return { cases: findings.length, findings };
}
