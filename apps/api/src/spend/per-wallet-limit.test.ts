import { expect, test } from 'vitest';
import { createPerWalletLimit } from './per-wallet-limit.ts';

test('the work of a wallet runs up to its limit, in order, and no other wallet waits for it', async () => {
  const limit = createPerWalletLimit(2);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (wallet: string, name: string): Promise<string> =>
    limit(wallet, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const running = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('a', 'a4')];
  const other = work('b', 'b1');
  await Promise.resolve();
  expect(started).toEqual(['a1', 'a2', 'b1']);
  ends.get('a2')?.();
  expect(await running[1]).toBe('a2');
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'b1']) ends.get(name)?.();
  expect(await Promise.all([running[0], running[2], other])).toEqual(['a1', 'a3', 'b1']);
  ends.get('a4')?.();
  expect(await running[3]).toBe('a4');
});

test('failed work frees its place', async () => {
  const limit = createPerWalletLimit(1);
  const fails = limit('a', async () => {
    throw new Error('no');
  });
  const next = limit('a', async () => 'next');
  await expect(fails).rejects.toThrow('no');
  expect(await next).toBe('next');
});
