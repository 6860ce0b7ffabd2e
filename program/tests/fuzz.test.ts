import { expect, it } from 'vitest';
import { committedPrograms } from '../fuzz/chain/chain.ts';
import { createFuzzer, WORLD_STEPS } from '../fuzz/fuzz.ts';

const STEPS = 5_000;

/** The short form of `npm run program:fuzz`. */
it('agrees with the model in 5 000 random steps', () => {
  const fuzzer = createFuzzer(process.env['FUZZ_SEED'] ?? 'short', committedPrograms);
  const findings: string[] = [];
  let accepted = 0;
  let steps = 0;
  for (let world = 0; steps < STEPS; world += 1) {
    const fuzzed = fuzzer.fuzz(world, WORLD_STEPS);
    steps += fuzzed.steps;
    if (fuzzed.finding !== null) findings.push(fuzzed.finding);
    for (const [, outcome, times] of fuzzed.coverage.entries()) {
      accepted += outcome === 'accepted' ? times : 0;
    }
    if (findings.length > 0) break;
  }
  expect(findings).toEqual([]);
  expect(steps).toBe(STEPS);
  expect(accepted).toBeGreaterThan(STEPS / 10);
});

it('reports the same shrunk steps for the same seed', () => {
  const wrong = { ...committedPrograms, wallet: committedPrograms.reserve };
  const findings = [1, 2].map(() => createFuzzer('wrong', wrong).fuzz(4, WORLD_STEPS).finding);
  expect(findings[0]).toContain('seed wrong, world 4, step ');
  expect(findings[0]).toContain('cut down to 1 of ');
  expect(findings[1]).toBe(findings[0]);
});
