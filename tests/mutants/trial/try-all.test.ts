import { describe, expect, it } from 'vitest';
import type { Mutant } from '../mutant.ts';
import { exitCodeOf, type Result, tryAll } from './try-all.ts';

const mutants = ['a', 'b', 'c', 'd'].map((name): Mutant => {
  return { name, file: 'lib.rs', find: 'x', replace: 'y', noticedBy: ['test money'] };
});

function run(
  tryOne: (name: string, copy: string) => Promise<readonly string[]>,
  signal = new AbortController().signal,
): Promise<readonly Result[]> {
  return tryAll(mutants, {
    copies: ['one', 'two'],
    tryOne: (mutant, copy) => tryOne(mutant.name, copy),
    tell: () => undefined,
    nowMs: () => 0,
    signal,
  });
}

const kindsOf = (results: readonly Result[]): string[] =>
  results.map(({ mutant, kind }) => `${mutant.name} ${kind}`);

describe('the trial of all mutants', () => {
  it('tries each once, two at a time and never two in one copy', async () => {
    const busy = new Set<string>();
    const tried: string[] = [];
    let most = 0;
    await run(async (name, copy) => {
      expect(busy).not.toContain(copy);
      busy.add(copy);
      most = Math.max(most, busy.size);
      tried.push(name);
      await Promise.resolve();
      busy.delete(copy);
      return ['money'];
    });
    expect([most, tried.toSorted()]).toEqual([2, ['a', 'b', 'c', 'd']]);
  });

  it('goes on after a mutant that cannot be tried', async () => {
    const results = await run((name) =>
      name === 'a' ? Promise.reject(new Error('does not build')) : Promise.resolve(['money']),
    );
    expect(kindsOf(results)).toEqual(['a not tried', 'b noticed', 'c noticed', 'd noticed']);
  });

  it('tries no further mutant after an abort', async () => {
    const stop = new AbortController();
    const tried: string[] = [];
    const results = await run((name) => {
      tried.push(name);
      stop.abort();
      return Promise.reject(new Error('killed'));
    }, stop.signal);
    expect(tried).toEqual(['a', 'b']);
    expect(kindsOf(results)).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name} not tried`));
  });

  it.each<[string, Record<string, readonly string[]>, number]>([
    ['0 when each was noticed', {}, 0],
    ['1 when one was not noticed', { b: [] }, 1],
  ])('has the exit code %s', async (_case, failed, code) => {
    const results = await run((name) => Promise.resolve(failed[name] ?? ['money']));
    expect(exitCodeOf(results)).toBe(code);
  });

  it('has the exit code 2 when one could not be tried, whatever the others', async () => {
    const results = await run((name) =>
      name === 'a' ? Promise.reject(new Error('does not build')) : Promise.resolve([]),
    );
    expect(exitCodeOf(results)).toBe(2);
  });
});
