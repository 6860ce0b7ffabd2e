import { whyNotBuilt } from '../../../program/tests/mutants/build-mutant.ts';
import { mutantNamed } from '../../../program/tests/mutants/mutants.ts';
import { runProgramTests } from '../../../program/tests/mutants/run-program-tests.ts';
import { tryMutant } from '../../../program/tests/mutants/try-mutant.ts';
import type { Report, Surface } from '../surface.ts';

/**
 * The on-chain program on LiteSVM: forged, crossed, closed and revived accounts, replays, clocks, a
 * hostile reserve. Some of its checks are taken away here, all of them by `npm run program:mutants`.
 */
export const program: Surface = {
  name: 'program',
  leastCases: 500,
  removable: [
    'signature',
    'vault-of-the-session',
    'replay',
    'recipient-list',
    'window-that-rolls',
    'session-is-closed',
    'token-accounts-after-the-reserve',
  ],
  attack: async ({ removed, progress }) => {
    if (removed !== null) return attackWithout(removed);
    progress('running the tests of the program');
    const { attacks, failed } = await runProgramTests({ words: ATTACKING_FILES });
    return { cases: attacks, findings: failed };
  },
};

/** Every file but those that only measure or are about other programs. */
const ATTACKING_FILES = [
  'program/tests/attacks',
  ...['init-', 'add-', 'update-', 'revoke-', 'set-', 'owner-', 'transfer-', 'yield-'].map(
    (word) => `program/tests/${word}`,
  ),
];

async function attackWithout(name: string): Promise<Report> {
  const skipped = (await whyNotBuilt()) ?? undefined;
  if (skipped !== undefined) return { cases: 0, findings: [], skipped };
  const findings = await tryMutant(mutantNamed(name));
  return { cases: findings.length, findings };
}
