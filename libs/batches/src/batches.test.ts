import { expect, test } from 'vitest';
import { createBatches } from './batches.ts';

/** Lets every run that can begin or end do so. */
const settle = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Batches whose runs end when the test says so. */
function openBatches(options: Partial<Parameters<typeof createBatches<string, string>>[0]> = {}) {
  const runs: string[] = [];
  const ends: (() => void)[] = [];
  const batched = createBatches<string, string>({
    run: async (items, key) => {
      runs.push(`${key}: ${items.join(' ')}`);
      await new Promise<void>((resolve) => ends.push(resolve));
      return items.map((item) => item.toUpperCase());
    },
    concurrency: 1,
    maxWeight: 10,
    ...options,
  });
  const endNext = async (): Promise<void> => {
    ends.shift()?.();
    await settle();
  };
  return { batched, runs, endNext };
}

test('calls of one tick are one run, and each gets its own result', async () => {
  const { batched, runs, endNext } = openBatches();
  const results = Promise.all([batched('k', 'a'), batched('k', 'b')]);
  await settle();
  await endNext();
  expect(await results).toEqual(['A', 'B']);
  expect(runs).toEqual(['k: a b']);
});

test('a call joins the run after those under way, and no other key waits for it', async () => {
  const { batched, runs, endNext } = openBatches({ concurrency: 2 });
  const first = batched('k', 'a');
  await settle();
  const second = batched('k', 'b');
  await settle();
  const later = [batched('k', 'c'), batched('k', 'd'), batched('other', 'e')];
  await settle();
  expect(runs).toEqual(['k: a', 'k: b', 'other: e']);
  await endNext();
  expect(await first).toBe('A');
  expect(runs.at(-1)).toBe('k: c d');
  for (const _ of [1, 2, 3]) await endNext();
  expect(await Promise.all([second, ...later])).toEqual(['B', 'C', 'D', 'E']);
});

test('a run has a greatest weight, which an item may pass alone', async () => {
  const { batched, runs, endNext } = openBatches({
    maxWeight: 3,
    weightOf: ({ length }) => length,
  });
  const results = ['aa', 'b', 'c', 'dddd'].map((item) => batched('k', item));
  await settle();
  for (const _ of [1, 2, 3]) await endNext();
  await Promise.all(results);
  expect(runs).toEqual(['k: aa b', 'k: c', 'k: dddd']);
});

test.each([
  ['alone when the run may be split', true, ['A', 'no', 'C']],
  ['together when it may not', false, ['no', 'no', 'no']],
])('items of a run that fails, fail %s', async (_case, maySplit, expected) => {
  const batched = createBatches<string, string>({
    run: async (items) => {
      if (items.includes('b')) throw new Error('no');
      return items.map((item) => item.toUpperCase());
    },
    concurrency: 1,
    maxWeight: 10,
    maySplit: () => maySplit,
  });
  const results = ['a', 'b', 'c'].map((item) =>
    batched('k', item).catch((fault: unknown) => (fault instanceof Error ? fault.message : '')),
  );
  expect(await Promise.all(results)).toEqual(expected);
});

test('items that wait share the fault of a run when the options say so', async () => {
  const runs: string[] = [];
  const ran = Promise.withResolvers<never>();
  const batched = createBatches<string, string>({
    run: (items) => {
      runs.push(items.join(' '));
      return ran.promise;
    },
    concurrency: 1,
    maxWeight: 1,
    endsWaiting: (fault) => fault instanceof RangeError,
  });
  const results = Promise.allSettled(['a', 'b', 'c'].map((item) => batched('k', item)));
  await settle();
  ran.reject(new RangeError('no'));
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(runs).toEqual(['a']);
});

test('a run that is split ends with the fault that those who wait share', async () => {
  const runs: string[] = [];
  const batched = createBatches<string, string>({
    run: async (items) => {
      runs.push(items.join(' '));
      throw items.length > 1 ? new Error('apart') : new RangeError('no');
    },
    concurrency: 1,
    maxWeight: 10,
    maySplit: () => true,
    endsWaiting: (fault) => fault instanceof RangeError,
  });
  await Promise.allSettled(['a', 'b', 'c'].map((item) => batched('k', item)));
  expect(runs).toEqual(['a b c', 'a']);
});

test('a key has a greatest number of items that wait', async () => {
  const { batched, endNext } = openBatches({
    mostWaiting: { count: 1, fault: () => new RangeError('full') },
  });
  const first = batched('k', 'a');
  await settle();
  const second = batched('k', 'b');
  await expect(batched('k', 'c')).rejects.toThrow('full');
  for (const _ of [1, 2]) {
    await endNext();
    await settle();
  }
  expect(await Promise.all([first, second])).toEqual(['A', 'B']);
});
