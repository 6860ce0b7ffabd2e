import { expect, test } from 'vitest';
import { runSteps } from './run-steps.ts';
import { Skipped, type Step } from './step.ts';

const passing: Step = { name: 'holds', run: () => Promise.resolve() };
const failing: Step = { name: 'breaks', run: () => Promise.reject(new Error('it broke')) };
const skipped: Step = { name: 'cannot tell', run: () => Promise.reject(new Skipped('no tool')) };

async function runAll(steps: readonly Step[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await runSteps(steps, { folder: '', log: (line) => lines.push(line) });
  return { code, lines };
}

test('a failed step gives exit code 1, and the steps after it run', async () => {
  const { code, lines } = await runAll([failing, passing]);
  expect(code).toBe(1);
  expect(lines).toContain('FAILED: it broke');
  expect(lines.at(-1)).toBe('\n1 passed, 1 failed, 0 skipped');
});

test('a skipped step is named with its reason and does not count as failed', async () => {
  const { code, lines } = await runAll([passing, skipped]);
  expect(code).toBe(0);
  expect(lines).toContain('skipped: no tool');
  expect(lines).toContainEqual(expect.stringMatching(/^skipped +\d+ s {2}cannot tell$/));
});

test('a run in which nothing passed is no success', async () => {
  expect((await runAll([skipped])).code).toBe(1);
});
