import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { programMutants } from '../../tests/mutants/mutants.ts';
import { idl } from './support/idl.ts';

const walk = readFileSync(new URL('../../docs/program-walk.md', import.meta.url), 'utf8');

describe('the walk of the program', () => {
  it.each(idl.instructions)('lists the accounts of $name in their order', ({ name, accounts }) => {
    const [, section = ''] = walk.split(`\n## ${name}\n`);
    const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| (\d+) +\| `(\w+)`/gm);
    const expected = accounts.map((account, place) => [String(place), account.name]);
    expect([...rows].map(([, place, account]) => [place, account])).toEqual(expected);
  });

  it('names exactly the checks that have a mutant', () => {
    const named = [...walk.matchAll(/\*\*([a-z-]+)\*\*/g)].map(([, name]) => name);
    const checks = new Set(named.filter((name) => name !== 'vault' && name !== 'session'));
    expect([...checks].toSorted(byName)).toEqual(
      programMutants.map(({ name }) => name).toSorted(byName),
    );
  });
});

function byName(left = '', right = ''): number {
  return left < right ? -1 : 1;
}
