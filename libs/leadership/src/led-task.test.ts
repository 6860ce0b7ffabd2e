import { expect, test } from 'vitest';
import { createLedTask, type LedPass } from './led-task.ts';

const LEASE_MS = 10_000;

function taskOf(run: LedPass) {
  const clock = { ms: 1_000 };
  const errors: unknown[] = [];
  const stoodDown: number[] = [];
  const task = createLedTask({
    run,
    onError: (error) => errors.push(error),
    onStoodDown: () => stoodDown.push(clock.ms),
    monotonicMs: () => clock.ms,
  });
  const hold = (fence: bigint): boolean => task.hold({ fence, untilMs: clock.ms + LEASE_MS });
  return { task, clock, errors, stoodDown, hold };
}

test('without the lease no pass runs', async () => {
  const { task } = taskOf(() => Promise.reject(new Error('must not run')));
  expect(task.leads()).toBe(false);
  expect(await task.pass()).toBeGreaterThan(0);
});

test('a copy that was stopped past its lease does not go on as the leader', async () => {
  const terms: boolean[] = [];
  const { task, clock, hold } = taskOf(async ({ isNewTerm }) => terms.push(isNewTerm));
  expect(hold(1n)).toBe(true);
  await task.pass();
  clock.ms += LEASE_MS;
  expect(task.leads()).toBe(false);
  await task.pass();
  expect(terms).toEqual([true]);
});

test('a renewed lease goes on, a new term is told to the pass', async () => {
  const terms: boolean[] = [];
  const { task, hold } = taskOf(async ({ isNewTerm }) => terms.push(isNewTerm));
  hold(1n);
  await task.pass();
  expect(hold(1n)).toBe(false);
  await task.pass();
  expect(hold(3n)).toBe(true);
  await task.pass();
  expect(terms).toEqual([true, false, true]);
});

test('a pass that failed in a new term is told of the new term again', async () => {
  const terms: boolean[] = [];
  const { task, clock, hold } = taskOf(async ({ isNewTerm }) => {
    terms.push(isNewTerm);
    if (terms.length === 1) throw new Error('no chain');
    return 0;
  });
  hold(1n);
  await task.pass();
  clock.ms += 5_000;
  await task.pass();
  expect(terms).toEqual([true, true]);
});

test('a copy whose passes fail three times in a row lets another one lead for a while', async () => {
  const { task, clock, errors, hold } = taskOf(() => Promise.reject(new Error('no chain')));
  for (const failed of [1, 2, 3]) {
    hold(1n);
    expect(task.wantsLease()).toBe(true);
    const restMs = await task.pass();
    expect(errors).toHaveLength(failed);
    // A wake-up does not shorten the rest.
    expect(await task.pass()).toBeCloseTo(restMs, 3);
    expect(errors).toHaveLength(failed);
    if (failed < 3) clock.ms += restMs;
  }
  expect(task.wantsLease()).toBe(false);
  clock.ms += 30_000;
  expect(task.wantsLease()).toBe(true);
});

test('a pass without an end gives the task away', async () => {
  const { task, clock, hold } = taskOf(() => Promise.withResolvers<number>().promise);
  hold(1n);
  void task.pass();
  clock.ms += 299_000;
  expect(task.wantsLease()).toBe(true);
  clock.ms += 2_000;
  expect(task.wantsLease()).toBe(false);
});

test('what was measured ends with the term, once', () => {
  const { task, stoodDown, hold } = taskOf(async () => 0);
  task.hold(null);
  expect(stoodDown).toEqual([]);
  hold(1n);
  task.hold(null);
  task.hold(null);
  expect(stoodDown).toHaveLength(1);
});
