import { type Ops, Skipped, type Step } from './step.ts';

type Result = {
  readonly name: string;
  readonly outcome: 'passed' | 'skipped' | 'FAILED';
  readonly seconds: number;
  readonly reason: string;
};

/**
 * Runs the steps in order, also after one has failed, so that one run shows each failure. Prints
 * each result as it comes and a table at the end. Returns the exit code: 0 if no step has failed.
 */
export async function runSteps(steps: readonly Step[], ops: Ops): Promise<number> {
  const results: Result[] = [];
  for (const step of steps) {
    ops.log(`\n=== ${step.name}`);
    const result = await runStep(step, ops);
    if (result.reason !== '') ops.log(result.reason);
    results.push(result);
  }
  ops.log('');
  for (const { name, outcome, seconds } of results) {
    ops.log(`${outcome.padEnd(7)} ${seconds.toFixed(0).padStart(5)} s  ${name}`);
  }
  const count = (outcome: Result['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  const [passed, failed, skipped] = [count('passed'), count('FAILED'), count('skipped')];
  ops.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

async function runStep({ name, run }: Step, ops: Ops): Promise<Result> {
  const startedMs = performance.now();
  const ended = (outcome: Result['outcome'], reason: string): Result => ({
    name,
    outcome,
    seconds: (performance.now() - startedMs) / 1_000,
    reason,
  });
  try {
    await run(ops);
    return ended('passed', '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return error instanceof Skipped
      ? ended('skipped', `skipped: ${reason}`)
      : ended('FAILED', `FAILED: ${reason}`);
  }
}
