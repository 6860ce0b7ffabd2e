import { expect, it } from 'vitest';
import { createPager } from './pager.ts';

async function* numbers(count: number, read: (n: number) => void = () => undefined) {
  for (let n = 1; n <= count; n += 1) {
    read(n);
    yield await Promise.resolve(n);
  }
}

it('reads a list in parts, and no more than one item ahead', async () => {
  let last = 0;
  const next = createPager(
    numbers(5, (n) => {
      last = n;
    }),
  );
  expect(await next(2)).toEqual({ items: [1, 2], hasMore: true });
  expect(last).toBe(3);
  expect(await next(2)).toEqual({ items: [3, 4], hasMore: true });
  expect(await next(2)).toEqual({ items: [5], hasMore: false });
  expect(await next(2)).toEqual({ items: [], hasMore: false });
});

it.each([
  [0, []],
  [2, [1, 2]],
])('has no more after a list of %d', async (count, items) => {
  expect(await createPager(numbers(count))(2)).toEqual({ items, hasMore: false });
});
