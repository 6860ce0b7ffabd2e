import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutants } from './mutants.ts';

const SOURCE = new URL('../../wallet/src/', import.meta.url);
const TESTS = new URL('../', import.meta.url);

describe('the checks that can be taken away', () => {
  it.each(mutants)('$name stands in the source exactly once', ({ file, place, replacement }) => {
    const source = readFileSync(new URL(file, SOURCE), 'utf8');
    expect(source.split(place)).toHaveLength(2);
    expect(replacement).not.toBe(place);
  });

  it('have names of their own', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  });

  it('are noticed by files that there are', () => {
    const files = readdirSync(TESTS, { recursive: true }).map((file) => `tests/${String(file)}`);
    const words = mutants.flatMap(({ noticedBy }) => noticedBy);
    expect(words.filter((word) => !files.some((file) => file.includes(word)))).toEqual([]);
  });
});
